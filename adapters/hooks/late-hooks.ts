/**
 * The hooks of this build; the first call of a skill with a hook loads them. Most skills have none.
 */
import { loadOnce } from '../../core/cache/load-once.ts'
import { Fault } from '../../core/errors.ts'
import type { Hooks } from '../../core/ports/registry.ts'
import type { HookSettings } from './all-hooks.ts'

export function makeLateHooks(settings: HookSettings): Hooks {
  let opened: Hooks | undefined
  const load = loadOnce(async () => {
    const registry = await import('./registry.ts')
    opened = registry.makeHooks(settings)
    return opened
  })
  const loaded = () => {
    if (opened === undefined) throw new Fault('internal', 'hooks: asked before they were opened')
    return opened
  }
  return {
    open: async () => {
      await load()
    },
    optionFaults: (name, options) => loaded().optionFaults(name, options),
    secretNames: (name, options) => loaded().secretNames(name, options),
    urls: (name, options) => loaded().urls(name, options),
    before: async (name, request, context) => (await load()).before(name, request, context),
    after: async (name, response, context) => (await load()).after(name, response, context),
  }
}
