/**
 * The plugin hooks of this build. Each hook is a line here and a name in
 * core/skills/definition/hook-names.ts; a test compares the two. A check of options sends and loads
 * nothing, so a door that only checks options contains no converter.
 */
import { err } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/outside.ts'
import type { Hooks } from '../../core/ports/registry.ts'
import type { Converters } from './converted.ts'
import { makeCsvToJsonHook } from './csv-to-json.ts'
import { makeHmacSha256Hook } from './hmac-sha256-signature.ts'
import type { Hook } from './hook.ts'
import { makeHtmlToMarkdownHook } from './html-to-markdown.ts'
import { makeOauth2ClientHook, makeOauth2ExchangeHook } from './oauth2-client-credentials.ts'
import { makeXmlToJsonHook } from './xml-to-json.ts'

export type HookSettings = {
  readonly clock: Clock
  /** The hosts allowed in URLs of options; each request is checked again when it is sent. */
  readonly outboundAllow: readonly string[]
  /** Hosts that the function caller reaches; default: none. */
  readonly privateHosts?: readonly string[]
}

export function makeAllHooks(
  settings: HookSettings,
  converters: Converters,
): ReadonlyMap<string, Hook> {
  const all = [
    makeCsvToJsonHook(converters),
    makeHmacSha256Hook(settings),
    makeHtmlToMarkdownHook({ convertHtml: converters.html }),
    makeOauth2ClientHook(settings),
    makeOauth2ExchangeHook(settings),
    makeXmlToJsonHook(converters),
  ]
  return new Map(all.map((hook) => [hook.name, hook]))
}

const NO_CONVERTERS: Converters = {
  html: async () => ({ kind: 'broken' }),
  csv: async () => err('is not converted here'),
  xml: async () => err('is not converted here'),
}

/** Checks of options, for a door that stores skills and runs none. */
export function makeHookOptionChecks(
  settings: HookSettings,
): Pick<Hooks, 'optionFaults' | 'secretNames' | 'urls'> {
  const all = makeAllHooks(settings, NO_CONVERTERS)
  return {
    optionFaults: (name, options) => all.get(name)?.optionFaults(options),
    secretNames: (name, options) => all.get(name)?.secretNames(options) ?? [],
    urls: (name, options) => all.get(name)?.urls?.(options) ?? [],
  }
}
