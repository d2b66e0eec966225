"""A model server for client tests: the Anthropic Messages API on loopback, with scripted answers.

A script is a list of steps for the prompt that has its key in it, each tool("Bash", command=…); after the
last one, and for any other prompt, the model says "done". Each request is kept as the client sent it.
"""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SUMMARY = re.compile(
    r"Respond with TEXT ONLY|create a detailed summary of|summary inside <summary></summary> tags"
)
ADDED = re.compile(r"<(system-reminder|local-command-[a-z]+|command-[a-z]+)>.*?</\1>", re.S)


def tool(name, usage=None, delay=0.0, **arguments):
    """A step of a script: the model calls a tool; usage is how full it says the context is."""
    return {"name": name, "input": arguments, "usage": usage, "delay": delay}


def blocks(message):
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def text_of(message):
    return "\n".join(b.get("text", "") for b in blocks(message) if b.get("type") == "text")


class Model(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = {}
        self.requests = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, body):
        """One content block, and how many tokens the request is said to have been."""
        messages = body.get("messages") or [{}]
        if SUMMARY.search(text_of(messages[-1])):
            self.keep("summary", body)
            return (
                {"type": "text", "text": "<analysis>a</analysis>\n<summary>They talked.</summary>"},
                None,
                0,
            )
        self.keep("turn" if body.get("tools") else "other", body)
        done = 0
        for message in reversed(messages):
            if message.get("role") != "user":
                continue
            done += sum(b.get("type") == "tool_result" for b in blocks(message))
            typed = ADDED.sub("", text_of(message))
            for key, steps in self.script.items():
                if key in typed and done < len(steps):
                    step = steps[done]
                    call = {"type": "tool_use", "id": f"toolu_{time.time_ns()}", "name": step["name"]}
                    return {**call, "input": step["input"]}, step["usage"], step["delay"]
            if typed.strip():
                break
        return {"type": "text", "text": "done"}, None, 0

    def keep(self, kind, body):
        with self.lock:
            self.requests.append((kind, body))

    def turns(self):
        return [body for kind, body in self.requests if kind == "turn"]

    def summaries(self):
        return [body for kind, body in self.requests if kind == "summary"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(200, "application/json", b"{}")

    def do_HEAD(self):
        self.send(200, "application/json", b"")

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if not self.path.split("?")[0].endswith("/v1/messages"):
            return self.send(200, "application/json", b'{"input_tokens": 1}')
        body = json.loads(raw)
        block, usage, delay = self.server.answer(body)
        time.sleep(delay)
        tokens = {"input_tokens": 3, "cache_creation_input_tokens": 0, "output_tokens": 9}
        tokens["cache_read_input_tokens"] = usage or len(raw) // 4
        message = {
            "id": f"msg_{time.time_ns()}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
        }
        message.update(content=[block], stop_sequence=None, usage=tokens)
        message["stop_reason"] = "tool_use" if block["type"] == "tool_use" else "end_turn"
        if not body.get("stream"):
            return self.send(200, "application/json", json.dumps(message).encode())
        if block["type"] == "tool_use":
            start, delta = (
                {**block, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        else:
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        events = [
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ]
        stream = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
        return self.send(200, "text/event-stream", stream.encode())

    def send(self, status, kind, data):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
