/**
 * A built-in tool as one record: what tools/list shows of it, and what answers its calls, which is loaded
 * with the first of them. A new tool is a file with such a record and one that answers, beside its name in core/skills/built-in-names.ts and its line
 * in built-in-tools.ts. Bound by docs/service.md, Built-in tools.
 */
import type { Principal } from '../../access/principal.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { Tool } from '../../skills/skill.ts'
import type { CountedRequest } from '../access/count-request.ts'
import type { LedgerReadNeeds } from '../users/read-ledger.ts'
import type { ListLayers } from './tool-list-cache.ts'

/** Read only: a built-in tool moves no credits and calls no upstream. */
export type BuiltInPorts = LedgerReadNeeds & { readonly v0: Pick<Ports['v0'], 'read'> }

/** The user behind a call. The profile was read for this call. */
export type BuiltInCaller = {
  readonly principal: Principal
  readonly profile: Profile
  /** The requests left to the key in this minute, after this call. */
  readonly minute: Pick<CountedRequest, 'nowMs' | 'remaining' | 'resetSec'>
}

export type BuiltInRequest = {
  readonly settings: Settings
  readonly arguments: JsonObject
  /** The tool list of the caller. Throws `Fault` when the store does not answer. */
  layers(): Promise<ListLayers>
}

export type UserRequest = BuiltInRequest & { readonly caller: BuiltInCaller }

type ShownTool = Pick<Tool, 'title' | 'description' | 'inputSchema'>

/** About the account of the caller: a call without a key is refused. */
type UserTool = ShownTool & {
  readonly callers: 'users'
  answer(request: UserRequest, ports: BuiltInPorts): Promise<ToolResult>
}

/** Works without a key, too. */
type PublicTool = ShownTool & {
  readonly callers: 'anyone'
  answer(request: BuiltInRequest, ports: BuiltInPorts): Promise<ToolResult>
}

export type BuiltInTool = UserTool | PublicTool
