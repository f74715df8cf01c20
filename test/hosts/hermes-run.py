"""Sixty turns of a conversation with the real Hermes agent; prints what happened as JSON. Run by hermes.slow.test.ts."""

import json
import os
import sys

from run_agent import AIAgent

agent = AIAgent(
    base_url=os.environ["BASE_URL"],
    api_key="any",
    provider="custom",
    model="gpt-5.4",
    quiet_mode=True,
    enabled_toolsets=["context_engine"],
    skip_context_files=True,
    skip_memory=True,
    max_tokens=500,
)
history = []
answers = []
for turn in json.load(sys.stdin):
    result = agent.run_conversation(turn, conversation_history=history)
    history = result["messages"]
    answers.append(result.get("final_response") or f"failed: {result.get('error')}")
    if answers[-1].startswith("failed"):
        break
engine = agent.context_compressor
print("RESULT " + json.dumps({"answers": answers, "engine": engine.name, "compactions": engine.compression_count}))
