"""Every framework's format, with values of any kind in any place: a result or an InputError, and nothing raised."""

from __future__ import annotations

import json
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import test_atif as atif
import test_autogen as autogen
import test_crewai as crewai
import test_google_adk as google_adk
import test_langchain as langchain
import test_langfuse as langfuse
import test_langsmith as langsmith
import test_mini_swe_agent as mini_swe_agent
import test_openai_agents as openai_agents
import test_openhands as openhands
import test_pydantic_ai as pydantic_ai
import test_swe_agent as swe_agent
import test_vercel_ai as vercel_ai
from evenhand.errors import InputError
from evenhand.transcripts import read
from evenhand.work.submission import Submission
from test_damaged_transcripts import JSON, paths_in

ORIGINALS: dict[str, list[Any]] = {
    "atif": [atif.TRAJECTORY],
    "autogen": [{"messages": autogen.MESSAGES}, {"question": "Q", "history": [{"role": "human", "content": "Q"}]}],
    "crewai": [crewai.EVENTS],
    "google-adk": [{"id": "s", "events": google_adk.EVENTS}],
    "messages": [langchain.PLAIN, list(map(langchain.dumped, langchain.PLAIN))],
    "langfuse": [{"trace": langfuse.TRACE, "observations": langfuse.OBSERVATIONS}],
    "langsmith": [langsmith.batch(), langsmith.nested()],
    "mini-swe-agent": [{"messages": mini_swe_agent.MESSAGES, "info": {}, "trajectory_format": "mini-swe-agent-1"}],
    "openai-agents": [openai_agents.SPANS],
    "openhands": [openhands.V0, openhands.V1],
    "pydantic-ai": [pydantic_ai.MESSAGES],
    "swe-agent": [{"trajectory": swe_agent.STEPS, "history": mini_swe_agent.MESSAGES, "info": swe_agent.INFO}],
    "vercel-ai": [vercel_ai.UI, vercel_ai.MODEL, vercel_ai.CHUNKS],
}


@pytest.mark.slow
@pytest.mark.parametrize("format", ORIGINALS)
def test_whatever_stands_where_something_else_should_nothing_is_raised(format: str):
    """Found by its content, or read as what it was; and only text that can be written comes out."""

    @settings(max_examples=60)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        value = json.loads(json.dumps(data.draw(st.sampled_from(ORIGINALS[format]))))
        for _ in range(data.draw(st.integers(1, 3))):
            *above, last = data.draw(st.sampled_from(list(paths_in(value))))
            node = value
            for key in above:
                node = node[key]
            node[last] = data.draw(JSON)
        with tempfile.NamedTemporaryFile() as file:
            file.write(json.dumps(value, indent=data.draw(st.sampled_from([None, 1]))).encode())
            file.flush()
            for item in read(file.name, data.draw(st.sampled_from([None, format])), partial=True):
                assert isinstance(item, Submission | InputError)
                if isinstance(item, Submission):
                    check_texts(item)

    check()


def check_texts(submission: Submission) -> None:
    f"{submission.output}{submission.task}{submission.id}".encode()
    for event in submission.events:
        event.text.encode()
        assert all(isinstance(part, str) for part in (event.role, event.agent, event.model, event.time))
        if event.call is not None:
            assert isinstance(event.call.name, str) and isinstance(event.call.id, str)
            f"{event.call.name}{event.call.id}{event.call.result}".encode()
