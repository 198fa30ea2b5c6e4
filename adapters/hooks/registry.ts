/**
 * The plugin hooks of this build behind the port `Hooks`. A hook is known by a line here and by its
 * name in core/skills/hook-names.ts; a test holds the two together.
 */
import { err, ok } from '../../core/errors.ts'
import type { Clock, Hooks } from '../../core/ports.ts'
import { hmacSha256Signature } from './hmac-sha256-signature.ts'
import type { Hook } from './hook.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { oauth2ClientCredentials } from './oauth2-client-credentials.ts'

export type HookSettings = {
  readonly clock: Clock
  /** By which URLs in options are judged; each send is judged again. */
  readonly outboundAllow: readonly string[]
}

export function hooks(settings: HookSettings): Hooks {
  const all = new Map(allHooks(settings).map((hook) => [hook.name, hook]))
  return {
    optionFaults: (name, options) => all.get(name)?.optionFaults(options),
    secretNames: (name, options) => all.get(name)?.secretNames(options) ?? [],
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

export function allHooks(settings: HookSettings): readonly Hook[] {
  return [hmacSha256Signature(settings), htmlToMarkdown(), oauth2ClientCredentials(settings)]
}

/** The flow refuses such a skill before it comes here. */
function unknown(name: string) {
  return err({ detail: `The skill cannot run: this build has no hook ${name.slice(0, 64)}.` })
}
