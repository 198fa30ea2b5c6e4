/**
 * A built-in tool as one record: its entry in tools/list, and the function that answers its calls.
 * The code of that function is loaded with the first call. To add a tool, write a file with such a
 * record and a file that answers, add the name in core/skills/built-in-names.ts and a line in
 * built-in-tools.ts. Bound by docs/service.md, Built-in tools.
 */
import type { Principal } from '../../access/principal.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Tool } from '../../skills/skill.ts'
import type { ToolListKind } from '../../skills/tool-list-kind.ts'
import type { CountedRequest } from '../access/count-request.ts'
import type { LedgerReadNeeds } from '../users/read-ledger.ts'
import type { TaskRecordNeeds } from './task-record.ts'
import type { ListLayers } from './tool-list-cache.ts'

/**
 * A built-in tool calls no upstream. Only the end of a task moves credits: back to its user.
 */
export type BuiltInPorts = LedgerReadNeeds &
  TaskRecordNeeds & { readonly v0: Pick<Ports['v0'], 'read'> }

/** The user behind a call. The profile was read for this call. */
export type BuiltInCaller = {
  readonly principal: Principal
  readonly profile: Profile
  /** The requests that the key has left in this minute, after this call. */
  readonly minute: Pick<CountedRequest, 'nowMs' | 'remaining' | 'resetSec'>
}

export type BuiltInRequest = {
  readonly settings: Settings
  readonly arguments: JsonObject
  /** The kind of the caller's tool list. */
  readonly list: ToolListKind
  /** Reads the tool list of the caller. Throws `Fault` if the store fails. */
  layers(): Promise<ListLayers>
}

export type UserRequest = BuiltInRequest & { readonly caller: BuiltInCaller }

/** A tool as lists show it. */
export type ShownTool = Pick<Tool, 'title' | 'description' | 'inputSchema'>

/** A tool about the caller's account. A call without a key is refused. */
type UserTool = ShownTool & {
  readonly callers: 'users'
  /** True if an access token needs the scope to call tools. */
  readonly changes?: true
  answer(request: UserRequest, ports: BuiltInPorts): Promise<ToolResult>
}

/** A tool that also works without a key. */
type PublicTool = ShownTool & {
  readonly callers: 'anyone'
  answer(request: BuiltInRequest, ports: BuiltInPorts): Promise<ToolResult>
}

export type BuiltInTool = UserTool | PublicTool
