/** The port `Hooks` over the plugin hooks of this build, with their converters. */
import { err, ok } from '../../core/errors.ts'
import type { Hooks } from '../../core/ports/registry.ts'
import { type HookSettings, makeAllHooks } from './all-hooks.ts'
import type { Converters } from './converted.ts'

export function makeHooks(settings: HookSettings): Hooks {
  const all = makeAllHooks(settings, LATE_CONVERTERS)
  return {
    optionFaults: (name, options) => all.get(name)?.optionFaults(options),
    secretNames: (name, options) => all.get(name)?.secretNames(options) ?? [],
    urls: (name, options) => all.get(name)?.urls?.(options) ?? [],
    before: async (name, request, context) => {
      const hook = all.get(name)
      if (hook === undefined) return failUnknown(name)
      return hook.before === undefined ? ok(request) : hook.before(request, context)
    },
    after: async (name, response, context) => {
      const hook = all.get(name)
      if (hook === undefined) return failUnknown(name)
      return hook.after === undefined ? ok(response) : hook.after(response, context)
    },
  }
}

/** A last check: the flow refuses a skill with an unknown hook earlier. */
function failUnknown(name: string) {
  return err({ detail: `The skill cannot run: this build has no hook ${name.slice(0, 64)}.` })
}

/** The converters; the first answer that needs one loads it. Most doors never load any. */
export const LATE_CONVERTERS: Converters = {
  html: async (html, limits) => {
    const { convertHtml } = await import('./convert-html.ts')
    return convertHtml(html, limits)
  },
  csv: async (text, options) => {
    const { csvToJson } = await import('./csv-table.ts')
    return csvToJson(text, options)
  },
  xml: async (text, options) => {
    const { xmlToJson } = await import('./xml-value.ts')
    return xmlToJson(text, options)
  },
}
