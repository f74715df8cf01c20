"""Compacts histories with the peers that are Python packages, as their documentation says, and patches none of them.

One JSON request a line on standard input, one JSON answer a line on standard output:
  {"peer": "hermes", "conversation": 1, "messages": [...], "keep": 19200, ...}  ->  {"messages": [...], "ms": 1.2}
"ms" is the time of the peer's own call; reading and writing JSON is not in it. What a peer prints goes to standard error.
"""

import json
import os
import sys
import time
from importlib.metadata import version

ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

# Of the many conversations that a long run has, those whose compressor is kept.
CONVERSATIONS_MAX = 64
compressors = {}


def hermes(request):
    """The agent's own context engine; it keeps the former summary and how often it has compressed."""
    from agent.context_compressor import COMPRESSED_SUMMARY_METADATA_KEY, ContextCompressor

    messages = request["messages"]
    key = request["conversation"]
    compressor = compressors.get(key)
    if compressor is None or not any(message.get(COMPRESSED_SUMMARY_METADATA_KEY) for message in messages):
        # A history without a handoff was never compacted: a session of its own.
        compressor = ContextCompressor(
            model="stub",
            provider="custom",
            base_url=request["model"],
            api_key="bench",
            config_context_length=request["window"],
            protect_last_n=request["protected"],
            quiet_mode=True,
        )
        compressors.pop(key, None)
        compressors[key] = compressor
        while len(compressors) > CONVERSATIONS_MAX:
            del compressors[next(iter(compressors))]
    compressor.tail_token_budget = request["keep"]

    def call():
        compacted = compressor.compress(messages)
        if compressor._last_summary_fallback_used or compressor._last_compress_aborted:
            raise RuntimeError(f"hermes had no summary: {compressor._last_summary_error}")
        return compacted

    return call


def headroom(request):
    """The library call; `protect_recent` is the one setting of it that is turned."""
    from headroom import compress

    messages = request["messages"]

    def call():
        return compress(messages, protect_recent=request["keep"]).messages

    return call


PEERS = {"hermes": (hermes, "hermes-agent"), "headroom": (headroom, "headroom-ai")}


def answer(request):
    make, package = PEERS[request["peer"]]
    if "messages" not in request:
        return {"version": f"{package} {version(package)}"}
    call = make(request)
    start = time.perf_counter()
    messages = call()
    return {"ms": (time.perf_counter() - start) * 1000, "messages": messages}


def serve():
    for line in sys.stdin:
        try:
            told = answer(json.loads(line))
        except Exception as error:  # One request's failure is told in its answer.
            told = {"error": f"{type(error).__name__}: {error}"}
        ANSWERS.write(json.dumps(told) + "\n")
        ANSWERS.flush()


serve()
