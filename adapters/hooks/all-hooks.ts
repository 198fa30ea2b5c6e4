/**
 * The plugin hooks of this build. A hook is known by a line here and by its name in
 * core/skills/hook-names.ts; a test compares the two. Checking options sends nothing and loads
 * nothing, so a door that only checks them carries no converter.
 */
import type { Clock, Hooks } from '../../core/ports.ts'
import { hmacSha256Signature } from './hmac-sha256-signature.ts'
import type { Hook } from './hook.ts'
import { type ConvertHtml, htmlToMarkdown } from './html-to-markdown.ts'
import { oauth2ClientCredentials } from './oauth2-client-credentials.ts'

export type HookSettings = {
  readonly clock: Clock
  /** The hosts allowed in URLs of options; each request is judged again when it is sent. */
  readonly outboundAllow: readonly string[]
}

export function allHooks(
  settings: HookSettings,
  convertHtml: ConvertHtml,
): ReadonlyMap<string, Hook> {
  const all = [
    hmacSha256Signature(settings),
    htmlToMarkdown({ convertHtml }),
    oauth2ClientCredentials(settings),
  ]
  return new Map(all.map((hook) => [hook.name, hook]))
}

/** For a door that stores skills and runs none. */
export function hookOptionChecks(
  settings: HookSettings,
): Pick<Hooks, 'optionFaults' | 'secretNames' | 'urls'> {
  const all = allHooks(settings, async () => ({ kind: 'broken' }))
  return {
    optionFaults: (name, options) => all.get(name)?.optionFaults(options),
    secretNames: (name, options) => all.get(name)?.secretNames(options) ?? [],
    urls: (name, options) => all.get(name)?.urls?.(options) ?? [],
  }
}
