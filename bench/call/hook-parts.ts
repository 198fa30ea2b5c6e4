/** Hooks and the opening of secrets, as loops. */
import { randomBytes } from 'node:crypto'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { hooks } from '../../adapters/hooks/registry.ts'
import { rawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { Result } from '../../core/errors.ts'
import type { HookContext } from '../../core/ports.ts'
import type { SealFailure } from '../../core/secrets/secret.ts'
import { ensured } from '../lib/agent.ts'
import { API_KEY, benchSkills } from '../lib/bench-skills.ts'
import type { Part } from './loop.ts'
import { ENDPOINT_ORIGIN, skillOf } from './ports.ts'

const KB = 1_000
const TIMES_PAGE = 200
const TIMES_LARGE_PAGE = 20
const TIMES_OPEN = 2_000
/** More than DATA_KEYS_MAX data keys, so that each has left the cache when its turn comes again. */
const SEALED = 600

export async function hookParts(): Promise<readonly Part[]> {
  return [...requestHooks(), ...pageHooks(), ...(await openingParts())]
}

const HOOKS = hooks({ clock: systemClock(), outboundAllow: [] })

function requestHooks(): readonly Part[] {
  const [, , , hmac, oauth] = benchSkills(ENDPOINT_ORIGIN)
  if (hmac === undefined || oauth === undefined) throw new Error('no such skill')
  const request: UpstreamRequest = {
    method: 'POST',
    url: `${ENDPOINT_ORIGIN}/weather?city=Lima`,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'x'.repeat(KB) }),
  }
  return [hmac, oauth].map(({ definition, name, secrets }) => {
    const [hook] = skillOf(definition).hooks
    if (hook === undefined) throw new Error(`${name} has no hook`)
    const context = contextOf(hook.options, secrets)
    const work = name === 'hmac' ? 'signs a body of 1 kB' : 'token in memory'
    return {
      name: `hook: ${hook.name}, ${work}`,
      run: async () => ensured(await HOOKS.before(hook.name, request, context)),
    }
  })
}

const TOKEN: UpstreamAnswer = {
  kind: 'answered',
  response: {
    status: 200,
    mediaType: 'application/json',
    charset: 'utf-8',
    body: new TextEncoder().encode(
      JSON.stringify({ access_token: 'T'.repeat(48), token_type: 'Bearer', expires_in: 3600 }),
    ),
  },
}

function contextOf(
  options: HookContext['options'],
  secrets: { readonly [name: string]: string },
): HookContext {
  return {
    uid: 'bench',
    skillId: 'sg_bench',
    options,
    secrets: new Map(Object.entries(secrets)),
    send: async () => TOKEN,
    conceal: () => undefined,
    mask: (text) => text,
    signal: new AbortController().signal,
  }
}

function pageHooks(): readonly Part[] {
  const hook = 'html_to_markdown'
  const context = contextOf({}, {})
  const part = (bytes: number, times: number): Part => {
    const body = new TextEncoder().encode(page(bytes))
    const response = { status: 200, mediaType: 'text/html', charset: 'utf-8', body }
    return {
      name: `hook: ${hook}, ${bytes / KB} kB`,
      run: async () => ensured(await HOOKS.after(hook, response, context)),
      times,
    }
  }
  return [part(10 * KB, TIMES_PAGE), part(100 * KB, TIMES_LARGE_PAGE)]
}

/** A typical web article: half of its bytes are tags. */
function page(bytes: number): string {
  const paragraph =
    '<p class="text">A sentence with <a href="https://example.com/a">a link</a> and <b>weight</b>.</p>' +
    '<ul class="list"><li>first</li><li>second <code>a_b</code></li></ul>\n'
  const times = Math.ceil(bytes / paragraph.length)
  return `<html><head><title>T</title></head><body>${paragraph.repeat(times)}</body></html>`
}

async function openingParts(): Promise<readonly Part[]> {
  const key = new Uint8Array(randomBytes(32))
  const seals = rawSecretSeals(() => key)
  const context = { uid: 'bench', skillId: '-', name: 'API_KEY', binding: '{"origins":[]}' }
  const sealed: Uint8Array[] = []
  for (let at = 0; at < SEALED; at += 1) sealed.push(opened(await seals.seal(context, API_KEY)))
  const [first = new Uint8Array()] = sealed
  let turn = 0
  return [
    {
      name: 'a secret opened, its data key in memory',
      run: async () => opened(await seals.open(context, first)),
      times: TIMES_OPEN,
    },
    {
      name: 'a secret opened, data key unwrapped by a key in this process',
      run: async () => {
        turn = (turn + 1) % SEALED
        return opened(await seals.open(context, sealed[turn] ?? first))
      },
      times: TIMES_OPEN,
    },
  ]
}

function opened<T>(result: Result<T, SealFailure>): T {
  if (result.ok) return result.value
  throw new Error(`not opened: ${result.error.why}`)
}
