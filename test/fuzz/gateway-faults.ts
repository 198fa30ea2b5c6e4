/** The rules for the whole gateway after each request and at the end: money and logs. */
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { isWellFormed, parsed } from './answer-faults.ts'
import { ARGUMENT, CANARIES } from './canaries.ts'
import { type Gateway, GRANTED, UIDS, type Uid } from './fuzzed-gateway.ts'
import type { OddRequest } from './odd-requests.ts'

const MICRO = 1_000_000

/** Credits, holds and settled amounts add up to the grants, and none is negative. */
export async function moneyFaults(gateway: Gateway): Promise<readonly string[]> {
  const faults: string[] = []
  for (const uid of UIDS) {
    const { credits, holds } = await gateway.world.profile(uid)
    const held = Object.values(holds).map((hold) => hold.amount)
    const sum = credits + held.reduce((all, one) => all + one, 0) + (await settledOf(gateway, uid))
    if (credits < 0 || held.some((amount) => amount < 0)) faults.push(`${uid} is below nothing`)
    if (sum !== GRANTED[uid] * MICRO)
      faults.push(`${uid} has ${sum / MICRO} of ${GRANTED[uid]} in all`)
  }
  return faults
}

async function settledOf({ world }: Gateway, uid: Uid): Promise<number> {
  let sum = 0
  let before: string | undefined
  do {
    const page = await world.ports.ledger.list({
      uid,
      limit: 100,
      ...(before === undefined ? {} : { before }),
    })
    for (const outcome of page.outcomes) if (outcome.state === 'settled') sum += outcome.amount
    before = page.next
  } while (before !== undefined)
  return sum
}

/** Lines of level ERROR mean that something is broken; no input of a caller may cause one. */
export function logFaults(lines: readonly string[], request: OddRequest): readonly string[] {
  return lines.flatMap((line) =>
    lineFaults(line, request).map((what) => `${what}: ${line.slice(0, 600)}`),
  )
}

function lineFaults(line: string, request: OddRequest): readonly string[] {
  const entry = parsed(line)
  if (!isJsonObject(entry)) return ['a line of the log is no JSON']
  const isBroken = request.isStoreDown || request.upstream.kind === 'throw'
  const leaked = CANARIES.filter((canary) => line.includes(canary))
  return [
    ...(entry['level'] === 'ERROR' && !isBroken ? ['logged as an error'] : []),
    ...(isWellFormed(entry) ? [] : ['half of a surrogate pair is in the log']),
    ...leaked.map((canary) => `the log holds ${canary}`),
    ...(line.includes(ARGUMENT) && !isNamed(request) ? ['the log holds an argument'] : []),
  ]
}

/** An edit can turn an argument's value into a name; names may be repeated. */
export function isNamed({ body = '', isBase64 }: OddRequest): boolean {
  const text = isBase64 ? Buffer.from(body, 'base64').toString() : body
  const value = parsed(text.replace(/^\ufeff/, ''))
  return value === undefined || hasName(value)
}

function hasName(value: Json, name = ''): boolean {
  if (name.includes(ARGUMENT)) return true
  if (typeof value === 'string') {
    return ['skill', 'name', 'method', 'id'].includes(name) && value.includes(ARGUMENT)
  }
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([inner, one]) => hasName(one, inner))
}
