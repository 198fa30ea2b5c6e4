/**
 * The type of a plugin hook. Each hook is a file of its own and a line in all-hooks.ts;
 * docs/hooks.md explains how to add one.
 */
import type { UpstreamRequest, UpstreamResponse } from '../../core/call/upstream.ts'
import type { FieldFault, Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { HookContext, HookFailure } from '../../core/ports/registry.ts'

/**
 * `before` changes the request that is about to be sent, `after` the answer that came back. Neither
 * throws for a failure of the outside; a throw is a bug.
 */
export type Hook = {
  /** The name in `config.plugin_hook`. */
  readonly name: string
  /** The faults of `config.plugin_options`, with pointers into it. */
  optionFaults(options: JsonObject): readonly FieldFault[]
  /** Every secret that `before` and `after` may ask for. */
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
