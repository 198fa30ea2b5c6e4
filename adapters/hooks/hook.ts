/** What one plugin hook is. Each is a file of its own and a line in all-hooks.ts; docs/hooks.md says how. */
import type { UpstreamRequest, UpstreamResponse } from '../../core/call/upstream.ts'
import type { FieldFault, Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { HookContext, HookFailure } from '../../core/ports.ts'

/**
 * `before` changes the request that is about to be sent, `after` the answer that came back. Neither
 * throws for what the outside does; what is thrown is a bug.
 */
export type Hook = {
  /** As `config.plugin_hook` spells it. */
  readonly name: string
  /** What is wrong with `config.plugin_options`; pointers into them. */
  optionFaults(options: JsonObject): readonly FieldFault[]
  /** Every secret that `before` and `after` will ask for. */
  secretNames(options: JsonObject): readonly string[]
  /** Every URL that `before` and `after` send to: a secret is checked for their origins too. */
  urls?(options: JsonObject): readonly string[]
  before?(
    request: UpstreamRequest,
    context: HookContext,
  ): Promise<Result<UpstreamRequest, HookFailure>>
  after?(
    response: UpstreamResponse,
    context: HookContext,
  ): Promise<Result<UpstreamResponse | 'again', HookFailure>>
}
