/** The plugin hooks of this build behind the port `Hooks`, with everything they need to run. */
import { err, ok } from '../../core/errors.ts'
import type { Hooks } from '../../core/ports/registry.ts'
import { allHooks, type HookSettings } from './all-hooks.ts'
import { lateConverters } from './convert-late.ts'

export function hooks(settings: HookSettings): Hooks {
  const all = allHooks(settings, lateConverters)
  return {
    optionFaults: (name, options) => all.get(name)?.optionFaults(options),
    secretNames: (name, options) => all.get(name)?.secretNames(options) ?? [],
    urls: (name, options) => all.get(name)?.urls?.(options) ?? [],
    before: async (name, request, context) => {
      const hook = all.get(name)
      if (hook === undefined) return unknown(name)
      return hook.before === undefined ? ok(request) : hook.before(request, context)
    },
    after: async (name, response, context) => {
      const hook = all.get(name)
      if (hook === undefined) return unknown(name)
      return hook.after === undefined ? ok(response) : hook.after(response, context)
    },
  }
}

/** The flow refuses such a skill before this point. */
function unknown(name: string) {
  return err({ detail: `The skill cannot run: this build has no hook ${name.slice(0, 64)}.` })
}
