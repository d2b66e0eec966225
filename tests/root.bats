#!/usr/bin/env bats
# which memory applies to a directory: DESIGN section 3, as bin/lib/root.sh says it

load helper

# expect_root ROOT PROJECT [LANE] - what memrc root, just run, must have printed
expect_root() {
	expect_status 0
	expect_equal "$(printf 'root: %s\nproject: %s\nlane: %s' "$1" "$2" "${3:-none}")" "$output"
	expect_no_error
}

expect_no_root() {
	expect_status 6
	expect_no_output
	expect_one_error_line
	expect_error 'no memory here: run memrc init'
}

# home_copy DIR - a home of its own, so that what stands beside the code under test doesn't matter
home_copy() {
	mkdir -p "$1"
	cp -R "$BIN" "$1/bin"
	BIN=$1/bin
}

@test "the project's top, and every directory below it" {
	run --separate-stderr memrc root
	expect_root "$ROOT" "$PROJECT"
	mkdir -p src/a/b
	cd src/a/b
	run --separate-stderr memrc root
	expect_root "$ROOT" "$PROJECT"
}

@test "inside the memory itself" {
	cd "$ROOT/state"
	run --separate-stderr memrc root
	expect_root "$ROOT" "$PROJECT"
}

@test "through a link to the project: the real path" {
	ln -s "$PROJECT/src" "$HOME/link"
	cd "$HOME/link"
	run --separate-stderr memrc root
	expect_root "$ROOT" "$PROJECT"
}

@test "a root nearer than the top of the work tree wins" {
	mkdir -p src/pkg/.memrc/state src/pkg/deep
	cd src/pkg/deep
	run --separate-stderr memrc root
	expect_root "$PROJECT/src/pkg/.memrc" "$PROJECT/src/pkg"
}

@test "a .memrc without state is no root" {
	rm -r "$ROOT/state"
	run --separate-stderr memrc root
	expect_no_root
}

@test "the search ends at the first .git: an outer project's memory isn't taken" {
	git init -q "$PROJECT/vendor/inner"
	cd "$PROJECT/vendor/inner"
	run --separate-stderr memrc root
	expect_no_root
	expect_error "$PROJECT/vendor/inner"
}

@test "the search ends at HOME" {
	mkdir -p "$BATS_TEST_TMPDIR/.memrc/state" "$HOME/notes"
	cd "$HOME/notes"
	run --separate-stderr memrc root
	expect_no_root
	mkdir -p "$HOME/.memrc/state"
	run --separate-stderr memrc root
	expect_root "$HOME/.memrc" "$HOME"
}

@test "without HOME in the environment" {
	run --separate-stderr env -u HOME "$BIN/memrc" root
	expect_root "$ROOT" "$PROJECT"
	cd /
	run --separate-stderr env -u HOME "$BIN/memrc" root
	expect_no_root
}

@test "the search ends where another file system begins" {
	need_root
	mkdir -p "$BATS_TEST_TMPDIR/.memrc/state" "$BATS_TEST_TMPDIR/mnt"
	mount -t tmpfs none "$BATS_TEST_TMPDIR/mnt" 2>/dev/null || skip 'no mount here'
	mkdir "$BATS_TEST_TMPDIR/mnt/sub"
	cd "$BATS_TEST_TMPDIR/mnt/sub"
	run --separate-stderr memrc root
	cd /
	umount "$BATS_TEST_TMPDIR/mnt"
	expect_no_root
}

@test "a disk that fills up during the search is still one file system" {
	mkdir "$HOME/bin" src/deep
	cat >"$HOME/bin/df" <<-'EOF'
		#!/bin/sh
		printf '%s\n' 'Filesystem 1024-blocks Used Available Capacity Mounted on' \
			'/dev/root 1000 500 500 50% /' '/dev/root 1000 501 499 51% /'
	EOF
	chmod +x "$HOME/bin/df"
	cd src/deep
	PATH=$HOME/bin:$PATH run --separate-stderr memrc root
	expect_root "$ROOT" "$PROJECT"
}

@test "no root: exit 6, one line, nothing on stdout" {
	cd /
	run --separate-stderr memrc root
	expect_no_root
	expect_equal 'memrc-root: /: no memory here: run memrc init in the project, or give --root DIR' "$stderr"
}

@test "a directory that is gone" {
	mkdir "$BATS_TEST_TMPDIR/gone"
	cd "$BATS_TEST_TMPDIR/gone"
	rmdir "$BATS_TEST_TMPDIR/gone"
	local shell
	for shell in dash 'bash --posix' 'busybox ash' mksh; do
		command -v "${shell%% *}" >/dev/null || continue
		# shellcheck disable=SC2086 # two words
		run --separate-stderr timeout 60 $shell "$BIN/memrc-root"
		expect_status 6
		# shellcheck disable=SC2086
		run --separate-stderr env -u PWD timeout 60 $shell "$BIN/memrc-root"
		expect_status 6
	done
	run --separate-stderr memrc root --root "$ROOT"
	expect_status 0
	expect_line "root: $ROOT"
}

@test "--root beats MEMRC_ROOT, which beats where one is" {
	mkdir -p "$HOME/a/state" "$HOME/b/.memrc/state"
	MEMRC_ROOT=$HOME/a run --separate-stderr memrc root
	expect_root "$HOME/a" "$HOME/a"
	MEMRC_ROOT=$HOME/a run --separate-stderr memrc root --root "$HOME/b/.memrc"
	expect_root "$HOME/b/.memrc" "$HOME/b"
	MEMRC_ROOT='' run --separate-stderr memrc root
	expect_root "$ROOT" "$PROJECT"
}

@test "--root takes a project for its memory, and a relative path" {
	mkdir -p "$HOME/b/.memrc/state"
	cd "$HOME"
	run --separate-stderr memrc root --root b
	expect_root "$HOME/b/.memrc" "$HOME/b"
	run --separate-stderr memrc root --root ./b/../b/.memrc/
	expect_root "$HOME/b/.memrc" "$HOME/b"
	cd b
	run --separate-stderr memrc root --root .
	expect_root "$HOME/b/.memrc" "$HOME/b"
}

@test "a --root that is none is no root, wherever one is" {
	run --separate-stderr memrc root --root "$HOME"
	expect_no_root
	expect_error "$HOME"
	run --separate-stderr memrc root --root "$HOME/nowhere"
	expect_no_root
	run --separate-stderr memrc root --root
	expect_status 2
	expect_one_error_line
}

@test "a linked worktree shares the main one's memory, with a lane of its name" {
	git worktree add -q -b side "$HOME/side tree"
	mkdir "$HOME/side tree/deep"
	cd "$HOME/side tree/deep"
	run --separate-stderr memrc root
	expect_root "$ROOT" "$HOME/side tree" side-tree
}

@test "whatever is done in a linked worktree speaks of it: its code, commit, branch and task" {
	local fact side
	memrc task start main-task --title m >/dev/null
	git worktree add -q -b side "$HOME/side"
	cd "$HOME/side"
	printf 'PORT = 2\n' >src/app.py
	git commit -qam 'src: another port'
	side=$(git rev-parse --short=7 HEAD)
	memrc task start side-task --title s >/dev/null
	fact=$(memrc fact 'the port is 3000' --evidence x)
	run --separate-stderr memrc supersede "$fact" --by 'the port is 2' --check 'grep:src/app.py:PORT = 2'
	expect_status 0
	expect_no_error
	run --separate-stderr memrc confirm "${output:0:8}" --evidence seen
	expect_status 0
	expect_equal "$side" "$(field facts.jsonl .commit | sort -u)"
	expect_equal "$side" "$(field facts.jsonl '.verified_at // empty' | sort -u)"
	expect_equal side-task "$(field facts.jsonl '.task_id // empty' | sort -u)"
	local command
	for command in 'status' 'rc' 'rc status' 'rehearse claude'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr memrc $command
		expect_status 0
		expect_text "side@$side"
		refute_text main-task
	done
	run --separate-stderr memrc doctor
	expect_text 'ok   restore: '
	# of the main one only where it is named
	run --separate-stderr memrc status --root "$PROJECT"
	expect_text 'main-task'
}

@test "MEMRC_PROJECT beside MEMRC_ROOT counts only for a worktree that has this very memory" {
	git worktree add -q -b side "$HOME/side"
	git worktree add -q -b own "$HOME/own"
	mkdir -p "$HOME/own/.memrc/state" "$HOME/none"
	export MEMRC_ROOT=$ROOT
	MEMRC_PROJECT=$HOME/side run --separate-stderr memrc root
	expect_root "$ROOT" "$HOME/side" side
	local other
	for other in "$HOME/own" "$HOME/none" . /; do
		MEMRC_PROJECT=$other run --separate-stderr memrc root
		expect_root "$ROOT" "$PROJECT"
	done
}

@test "a linked worktree with a relative gitdir" {
	git worktree add -q "$PROJECT/../side"
	printf 'gitdir: ../project with space é/.git/worktrees/side\n' >"$PROJECT/../side/.git"
	printf '../../../../side/.git\n' >.git/worktrees/side/gitdir
	cd "$PROJECT/../side"
	run --separate-stderr memrc root
	expect_root "$ROOT" "${PROJECT%/*}/side" side
}

@test "a linked worktree with a memory of its own" {
	git worktree add -q "$HOME/side"
	mkdir -p "$HOME/side/.memrc/state"
	cd "$HOME/side"
	run --separate-stderr memrc root
	expect_root "$HOME/side/.memrc" "$HOME/side"
}

@test "a linked worktree of a project without memory has none" {
	git worktree add -q "$HOME/side"
	rm -r "$ROOT"
	cd "$HOME/side"
	run --separate-stderr memrc root
	expect_no_root
}

@test "a .git file that the named project knows nothing of brings no memory" {
	git worktree add -q "$HOME/side"
	mkdir "$HOME/evil"
	cp "$HOME/side/.git" "$HOME/evil/.git"
	cd "$HOME/evil"
	run --separate-stderr memrc root
	expect_no_root
	printf 'gitdir: %s/.git/worktrees/none\n' "$PROJECT" >.git
	run --separate-stderr memrc root
	expect_no_root
}

@test "a submodule doesn't take the outer project's memory" {
	git init -q "$HOME/lib"
	git -C "$HOME/lib" commit -q --allow-empty -m lib
	git -c protocol.file.allow=always submodule --quiet add "$HOME/lib" lib
	cd lib
	[[ -f .git ]]
	run --separate-stderr memrc root
	expect_no_root
	mkdir -p .memrc/state
	run --separate-stderr memrc root
	expect_root "$PROJECT/lib/.memrc" "$PROJECT/lib"
}

@test "a .git file that isn't git's" {
	mkdir "$PROJECT/odd"
	cd "$PROJECT/odd"
	local text
	for text in '' 'x' 'gitdir:' 'gitdir: ' 'gitdir: /nowhere/.git/worktrees/'; do
		printf '%s' "$text" >.git
		run --separate-stderr memrc root
		expect_no_root
	done
}

@test "another user's memory isn't taken by walking up, only by name" {
	need_root
	chown -R 65534 "$ROOT" || skip 'no other user here'
	run --separate-stderr memrc root
	expect_no_root
	run --separate-stderr memrc root --root "$ROOT"
	expect_root "$ROOT" "$PROJECT"
}

@test "another user's main work tree isn't taken by a linked one" {
	need_root
	git worktree add -q "$HOME/side"
	chown 65534 "$ROOT" || skip 'no other user here'
	cd "$HOME/side"
	run --separate-stderr memrc root
	expect_no_root
}

@test "a clone is its own memory inside itself, elsewhere only with state/.root" {
	home_copy "$HOME/clone"
	mkdir -p "$HOME/clone/state" "$HOME/elsewhere"
	cd "$HOME/clone/bin"
	run --separate-stderr memrc root
	expect_root "$HOME/clone" "$HOME/clone"
	cd "$HOME/elsewhere"
	run --separate-stderr memrc root
	expect_no_root
	: >"$HOME/clone/state/.root"
	run --separate-stderr memrc root
	expect_root "$HOME/clone" "$HOME/clone"
	cd "$PROJECT"
	run --separate-stderr memrc root
	expect_root "$ROOT" "$PROJECT"
}

@test "a clone's .memrc comes before its example" {
	home_copy "$HOME/clone"
	mkdir -p "$HOME/clone/state" "$HOME/clone/.memrc/state"
	cd "$HOME/clone"
	run --separate-stderr memrc root
	expect_root "$HOME/clone/.memrc" "$HOME/clone"
}

@test "config names the project of a root that isn't in one" {
	mkdir -p "$HOME/memory/state"
	printf 'project = %s\n' "$PROJECT" >"$HOME/memory/state/config"
	run --separate-stderr memrc root --root "$HOME/memory"
	expect_root "$HOME/memory" "$PROJECT"
	printf 'project=%s/nowhere\n' "$PROJECT" >"$HOME/memory/state/config"
	run --separate-stderr memrc root --root "$HOME/memory"
	expect_root "$HOME/memory" "$HOME/memory"
	printf 'project = src\n' >"$HOME/memory/state/config"
	run --separate-stderr memrc root --root "$HOME/memory"
	expect_root "$HOME/memory" "$HOME/memory"
	printf 'project = %s\n' "$HOME" >"$ROOT/state/config"
	run --separate-stderr memrc root
	expect_root "$ROOT" "$PROJECT"
}

# outside WHAT - the directory WHAT of the root lies outside of it, and a link leads there
outside() {
	rm -rf "$BATS_TEST_TMPDIR/outside"
	mkdir -p "$ROOT/$1"
	mv "$ROOT/$1" "$BATS_TEST_TMPDIR/outside"
	# what a sweep of temporary files would take for its own
	printf 'x' >"$BATS_TEST_TMPDIR/outside/.x.tmp1"
	ln -s "$BATS_TEST_TMPDIR/outside" "$ROOT/$1"
}

# refused COMMAND… - it names the link, and outside nothing was changed
refused() {
	local before
	before=$(snapshot "$BATS_TEST_TMPDIR/outside")
	run --separate-stderr memrc "$@" </dev/null
	expect_status 74
	expect_one_error_line
	expect_error 'is a symbolic link'
	expect_equal "$before" "$(snapshot "$BATS_TEST_TMPDIR/outside")"
}

@test "a linked directory of a root is not written to, and nothing behind it removed" {
	local kept=$BATS_TEST_TMPDIR/kept
	memrc decide a --because b >/dev/null
	memrc task start parked --title x >/dev/null
	memrc task start t --title x >/dev/null
	memrc fail f --because g >/dev/null
	cp -R "$ROOT" "$kept"
	outside state/tasks
	refused fail x --because y
	refused step x
	refused task switch parked
	refused task 'done'
	# not even where nothing is to be parked
	rm "$ROOT/state/progress.json"
	refused task switch parked
	rm -r "$ROOT" && cp -R "$kept" "$ROOT"
	outside state/tasks/archive
	refused task 'done'
	rm -r "$ROOT" && cp -R "$kept" "$ROOT"
	outside state/documents
	refused edit --add x documents/40_X.md
	rm -r "$ROOT" && cp -R "$kept" "$ROOT"
	outside state/lanes
	refused task start other --title x --lane --session s
	rm -r "$ROOT" && cp -R "$kept" "$ROOT"
	outside logs
	refused log --type t --target t --evidence src/app.py x
	refused seal --accept --answer x
	refused init
	rm -r "$ROOT" && cp -R "$kept" "$ROOT"
	local place
	for place in state state/.seal; do
		outside "$place"
		refused decide x --because y
		refused progress --next x
		refused constrain x
		refused init
		rm -r "$ROOT" && cp -R "$kept" "$ROOT"
	done
	# a file in the seal is as much of a way out
	printf 'mine\n' >"$BATS_TEST_TMPDIR/outside/mine"
	ln -sf "$BATS_TEST_TMPDIR/outside/mine" "$ROOT/state/.seal/decisions.jsonl"
	refused decide x --because y
}

@test "a .memrc that is itself a link is where its user put the memory" {
	mkdir "$HOME/memories"
	mv "$ROOT" "$HOME/memories/shop"
	ln -s "$HOME/memories/shop" "$ROOT"
	run --separate-stderr memrc decide a --because b
	expect_status 0
	[[ -s $HOME/memories/shop/state/decisions.jsonl ]]
	run --separate-stderr memrc status
	expect_status 0
	expect_text "$ROOT"
}

@test "finding it writes nothing" {
	local before
	before=$(snapshot "$BATS_TEST_TMPDIR")
	memrc root >/dev/null
	(cd src && memrc root >/dev/null)
	expect_equal "$before" "$(snapshot "$BATS_TEST_TMPDIR")"
}
