/** A scripted hook under the name of a real one, so that skills that name it can run. */
import { err, ok } from '../../../../core/errors.ts'
import type { HookContext, Hooks } from '../../../../core/ports/registry.ts'
import type { World } from '../world.ts'

export const HOOKED = { plugin_hook: 'html_to_markdown' } as const

export type ScriptedHook = {
  /** As the hook received them. */
  readonly contexts: HookContext[]
}

export function hookWith(
  world: World,
  script: Partial<Pick<Hooks, 'before' | 'after' | 'secretNames'>>,
): ScriptedHook {
  const contexts: HookContext[] = []
  world.ports.hooks = {
    optionFaults: () => [],
    secretNames: script.secretNames ?? (() => []),
    urls: () => [],
    before: (name, request, context) => {
      contexts.push(context)
      return script.before?.(name, request, context) ?? Promise.resolve(ok(request))
    },
    after: (name, response, context) =>
      script.after?.(name, response, context) ?? Promise.resolve(ok(response)),
  }
  return { contexts }
}

export const refuses = async () => err({ detail: 'secret KEY: is not base64; set it again.' })
export const throws = () => Promise.reject(new Error('told by hush-hush-value'))
