/** Attacks that ask many things and know the one right answer to each. */
import type { Page } from '../local/login-person.ts'
import { type Attack, attack } from './attack.ts'
import type { Runtime, Target } from './target.ts'

export type Probe = {
  /** What was asked, in a few words. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

/** Notes one probe; `got` is what came, in the words of `expected`. */
export type Note = (what: string, expected: string, got: string) => void

const HELD: Probe = { what: 'a thing', expected: '400 invalid_grant', got: '400 invalid_grant' }

export function probingAttack(described: {
  readonly name: string
  readonly tried: string
  readonly on: readonly Runtime[]
  /** Also asks something that must succeed: a gateway that refuses everything holds nothing. */
  probe(target: Target, note: Note): Promise<void>
}): Attack {
  const { name, on, probe, tried } = described
  return attack<readonly Probe[]>({
    name,
    tried,
    on,
    attempt: async (target) => {
      const probes: Probe[] = []
      await probe(target, (what, expected, got) => probes.push({ what, expected, got }))
      return probes
    },
    judge: (probes) => {
      if (probes.length === 0) return 'nothing was asked'
      const wrong = probes.filter(({ expected, got }) => expected !== got)
      const [first] = wrong
      if (first === undefined) return undefined
      const more = wrong.length === 1 ? '' : ` (and ${wrong.length - 1} more)`
      return `${first.what}: ${first.got} in place of ${first.expected}${more}`
    },
    held: [HELD],
    broken: [[], [HELD, { ...HELD, got: '200' }]],
  })
}

/** `400 invalid_grant` of an answer of the token endpoint or of a registration; `200` or `201`. */
export function describeAnswer({ body, status }: { status: number; body: unknown }): string {
  const error: unknown = Reflect.get(Object(body), 'error')
  return typeof error === 'string' ? `${status} ${error}` : String(status)
}

/** `400` of a page; `303 URL` of a redirect, with its error if it has one and `code` if it has that. */
export function describePage({ location, status }: Page): string {
  if (location === undefined) return String(status)
  const url = new URL(location)
  const { searchParams } = url
  const outcome = searchParams.get('error') ?? (searchParams.has('code') ? 'code' : 'nothing')
  return `${status} ${outcome}`
}
