/** The hooks of this build, loaded with the first call of a skill that names one: most calls name none. */
import { loadOnce } from '../../core/cache/load-once.ts'
import { Fault } from '../../core/errors.ts'
import type { Hooks } from '../../core/ports/registry.ts'
import type { HookSettings } from './all-hooks.ts'

export function lateHooks(settings: HookSettings): Hooks {
  let opened: Hooks | undefined
  const load = loadOnce(async () => {
    const { hooks } = await import('./registry.ts')
    opened = hooks(settings)
    return opened
  })
  const known = () => {
    if (opened === undefined) throw new Fault('internal', 'hooks: asked before they were opened')
    return opened
  }
  return {
    open: async () => {
      await load()
    },
    optionFaults: (name, options) => known().optionFaults(name, options),
    secretNames: (name, options) => known().secretNames(name, options),
    urls: (name, options) => known().urls(name, options),
    before: async (name, request, context) => (await load()).before(name, request, context),
    after: async (name, response, context) => (await load()).after(name, response, context),
  }
}
