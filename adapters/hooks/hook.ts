/** The type of a plugin hook. docs/hooks.md explains how to add one. */
import type { UpstreamRequest, UpstreamResponse } from '../../core/call/upstream.ts'
import type { FieldError, Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { HookContext, HookFailure } from '../../core/ports/registry.ts'

/**
 * `before` changes a request before it is sent, `after` its answer. Only a bug makes them throw.
 */
export type Hook = {
  /** The name in `config.plugin_hook`. */
  readonly name: string
  /** The errors of `config.plugin_options`, with pointers into it. */
  optionFaults(options: JsonObject): readonly FieldError[]
  /** Every secret that `before` and `after` may read. */
  secretNames(options: JsonObject): readonly string[]
  /** Every URL that `before` and `after` send to: secrets are also checked for these origins. */
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
