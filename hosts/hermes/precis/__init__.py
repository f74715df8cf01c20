"""A context engine for Hermes: a local precis (`precis serve`) compacts over HTTP, and nothing but the standard library is needed.

Settings are environment variables: PRECIS_URL (http://127.0.0.1:4020) and PRECIS_API_KEY, which a precis that other machines can
reach needs to tell tenants apart.
"""

from __future__ import annotations

import json
import logging
import os
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Dict, List, Optional

from agent.context_engine import ContextEngine

logger = logging.getLogger(__name__)

COMPACT_SECONDS_MAX = 60
RETRIEVE_SECONDS_MAX = 10
HASHES_MAX = 64
TOOL_NAME = "precis_recall"
NOTHING_FOUND = "Nothing that was removed holds these words. Try fewer or other words."


class PrecisEngine(ContextEngine):
    threshold_percent = 0.5
    protect_first_n = 0

    def __init__(self) -> None:
        self.model = ""
        # What was removed, the newest first; in a file of the session's, for when it goes on in another process.
        self._hashes: List[str] = []
        self._folder: Optional[Path] = None
        self._file: Optional[Path] = None

    @property
    def name(self) -> str:
        return "precis"

    def is_available(self) -> bool:
        return True

    def update_model(self, model: str, context_length: int, **kwargs: Any) -> None:
        super().update_model(model, context_length)
        self.model = model

    def update_from_response(self, usage: Dict[str, Any]) -> None:
        self.last_prompt_tokens = usage.get("prompt_tokens", 0)
        self.last_completion_tokens = usage.get("completion_tokens", 0)
        self.last_total_tokens = usage.get("total_tokens", 0)

    def should_compress(self, prompt_tokens: Optional[int] = None) -> bool:
        tokens = self.last_prompt_tokens if prompt_tokens is None else prompt_tokens
        return self.threshold_tokens > 0 and tokens >= self.threshold_tokens

    def compress(
        self,
        messages: List[Dict[str, Any]],
        current_tokens: Optional[int] = None,
        focus_topic: Optional[str] = None,
        force: bool = False,
        memory_context: str = "",
    ) -> List[Dict[str, Any]]:
        """Where precis does not answer, the messages stay as they are, and Hermes goes on with them."""
        body = {"messages": messages, "model": self.model, "context_length": self.context_length, "focus": focus_topic or ""}
        try:
            answer = self._call("/v1/compact", COMPACT_SECONDS_MAX, body)
        except (OSError, ValueError) as error:
            logger.warning("precis did not compact at %s (%s); is `precis serve` running?", self._url(), error)
            return messages
        if not answer.get("compacted"):
            logger.info("precis left the conversation as it is: %s", answer.get("because", ""))
            return messages
        self.compression_count += 1
        self._hashes = (answer.get("hashes", []) + self._hashes)[:HASHES_MAX]
        self._keep()
        return answer["messages"]

    def on_session_start(self, session_id: str, **kwargs: Any) -> None:
        super().on_session_start(session_id, **kwargs)
        home = kwargs.get("hermes_home")
        if home:
            self._folder = Path(home) / "precis"
        if self._folder is None or not session_id:
            return
        self._file = self._folder / f"{urllib.parse.quote(session_id, safe='')}.json"
        # After a compaction the conversation goes on, perhaps under another id.
        if kwargs.get("boundary_reason") == "compression":
            self._keep()
        else:
            self._hashes = self._kept()

    def on_session_reset(self) -> None:
        super().on_session_reset()
        self._hashes = []
        self._file = None

    def _kept(self) -> List[str]:
        try:
            hashes = json.loads(self._file.read_text()) if self._file is not None else []
        except (OSError, ValueError):
            return []
        return [one for one in hashes if isinstance(one, str)][:HASHES_MAX] if isinstance(hashes, list) else []

    def _keep(self) -> None:
        if self._file is None or not self._hashes:
            return
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file.write_text(json.dumps(self._hashes))
        except OSError as error:
            logger.warning("precis could not keep what can be recalled later in %s (%s)", self._file, error)

    def get_tool_schemas(self) -> List[Dict[str, Any]]:
        return [
            {
                "name": TOOL_NAME,
                "description": "Finds words in what was removed from this conversation when it was compacted. "
                "Use it before you ask a person again or guess.",
                "parameters": {
                    "type": "object",
                    "properties": {"query": {"type": "string", "description": "Words that stand near what is needed."}},
                    "required": ["query"],
                },
            }
        ]

    def handle_tool_call(self, name: str, args: Dict[str, Any], **kwargs: Any) -> str:
        if name != TOOL_NAME:
            return super().handle_tool_call(name, args, **kwargs)
        if not self._hashes:
            return json.dumps({"found": "", "hint": NOTHING_FOUND})
        query = urllib.parse.quote(str(args.get("query", "")))
        try:
            found = self._call(f"/v1/retrieve/{','.join(self._hashes)}?query={query}&only=found", RETRIEVE_SECONDS_MAX)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return json.dumps({"found": "", "hint": NOTHING_FOUND})
            return json.dumps({"error": f"precis at {self._url()} answered with {error.code}"})
        except (OSError, ValueError) as error:
            return json.dumps({"error": f"precis does not answer at {self._url()}: {error}"})
        return json.dumps({"found": found["original_content"]})

    def _url(self) -> str:
        return os.environ.get("PRECIS_URL", "http://127.0.0.1:4020").rstrip("/")

    def _call(self, path: str, seconds: int, body: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        headers = {"content-type": "application/json"}
        key = os.environ.get("PRECIS_API_KEY")
        if key:
            headers["authorization"] = f"Bearer {key}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url() + path, data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=seconds) as response:
            return json.load(response)


def register(ctx: Any) -> None:
    ctx.register_context_engine(PrecisEngine())
