"""The server itself: protocol in, tools and resources out; every failure an answer in plain words."""

from __future__ import annotations

import logging
from typing import Any, Final

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from evenhand import clock
from evenhand._version import __version__
from evenhand.errors import EvenhandError, InputError, unknown
from evenhand.mcp import resources
from evenhand.mcp.allowed_files import Confinement
from evenhand.mcp.arguments import checked
from evenhand.mcp.call import Call
from evenhand.mcp.handles import Handles
from evenhand.mcp.tools import TOOLS, Tool
from evenhand.store.protocol import Store
from evenhand.work.printable import printable

INSTRUCTIONS: Final = """\
evenhand judges what agents produce: seven dimensions, checked quotes, an exact score. To judge a piece of work \
yourself, call judge_begin, follow its instructions, and hand in your judgement with judge_submit. To look for faults \
without judging, call findings. Do not judge your own work when another judge is at hand."""

AT_ONCE: Final = 4
"""Calls that run at the same time; more of them wait."""

BETWEEN_REPORTS: Final = 1.0
"""Seconds of work before progress is reported, and between two reports."""

BEFORE_RESULT: Final = 0.1
"""Seconds between the last report and the result."""

Context = ServerRequestContext[Any, Any]


def make_server(store: Store | None, confinement: Confinement) -> Server[Any]:
    """The server, not running yet."""
    service = _Service(store, confinement)
    server: Server[Any] = Server(
        "evenhand",
        version=__version__,
        title="evenhand",
        instructions=INSTRUCTIONS,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_resources=service.list_resources,
        on_list_resource_templates=service.list_templates,
        on_read_resource=service.read_resource,
    )
    server.middleware.clear()  # it would only trace calls for OpenTelemetry
    return server


class _Service:
    """Answers requests; the work is done in threads, so that the connection stays responsive."""

    def __init__(self, store: Store | None, confinement: Confinement) -> None:
        self._store = store
        self._confinement = confinement
        self._handles = Handles()
        self._tools = TOOLS
        self._limiter: anyio.CapacityLimiter | None = None

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in self._tools.values()])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            message = unknown("tool", params.name, self._tools)
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        progress = _Progress(context)
        call = Call(self._store, self._confinement, self._handles, _client(context), progress.report)
        try:
            arguments = checked(tool.name, params.arguments or {}, tool.input_schema)
            reply = await self._in_thread(lambda: tool.function(call, **arguments))
        except EvenhandError as error:
            return _refused(str(error))
        except Exception as error:
            return _refused(_unexpected(tool.name, error))
        finally:
            await progress.end()
        return types.CallToolResult(content=[_text(reply.text)], structured_content=reply.document)

    async def list_resources(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        listed = await self._answered("the list of resources", lambda: resources.listed(self._store))
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=resource.uri, name=resource.name, mime_type=resource.mime_type)
                for resource in listed
            ]
        )

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        templates = [
            types.ResourceTemplate(
                uri_template=f"{resources.RUBRIC}{{name}}", name="rubric", mime_type=resources.MARKDOWN
            ),
            types.ResourceTemplate(
                uri_template=f"{resources.SCORECARD}{{id}}", name="scorecard", mime_type=resources.JSON
            ),
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(self, _: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        resource = await self._answered("the resource", lambda: resources.read(uri, self._store, self._confinement))
        text = printable(resource.text)
        contents = types.TextResourceContents(uri=params.uri, mime_type=resource.mime_type, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _answered(self, what: str, work: Any) -> Any:
        """A result, or a protocol error that says what is wrong and nothing else."""
        try:
            return await self._in_thread(work)
        except InputError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None
        except EvenhandError as error:
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from None
        except Exception as error:
            raise MCPError(code=types.INTERNAL_ERROR, message=_unexpected(what, error)) from None

    async def _in_thread(self, work: Any) -> Any:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(AT_ONCE)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _client(context: Context) -> str:
    """What the client calls itself."""
    params = context.session.client_params
    name = "" if params is None else params.client_info.name
    return " ".join(name.split())[:60] or "mcp-client"


class _Progress:
    """Reports progress on long work. Some clients take a report that arrives together with the result for an error, so
    short work reports nothing, and a result keeps its distance."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._last = clock.elapsed()
        self._reported = False

    def report(self, done: int, total: int, message: str) -> None:
        """Report from the thread that does the work, unless it was done a moment ago."""
        if clock.elapsed() - self._last >= BETWEEN_REPORTS:
            anyio.from_thread.run(self._session.report_progress, done, total, message)
            self._last = clock.elapsed()
            self._reported = True

    async def end(self) -> None:
        """Wait until the last report has been read."""
        if self._reported:
            await anyio.sleep(max(0, self._last + BEFORE_RESULT - clock.elapsed()))


def _refused(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(text)], is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=printable(text))


def _unexpected(what: str, error: Exception) -> str:
    """A fault in evenhand itself: its details go to standard error, not to the client."""
    logging.getLogger("evenhand").error("%s failed", what, exc_info=error)
    return (
        f"{what} failed: an unexpected {type(error).__name__} in evenhand; the server's standard error has the details"
    )
