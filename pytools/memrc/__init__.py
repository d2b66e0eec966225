"""memrc in Python: what cron, a person or CI runs; no restore and no hook ever starts it."""
