/**
 * The simulated store. Each request is one atomic step of the store below, taken at a moment
 * that the scheduler chooses and answered at another, or never; it may be throttled, its answer may
 * be lost, it may happen again much later. Like the SDK, the caller's side sends it up to three
 * times and then throws a Fault.
 */

import { Fault } from '../../core/errors.ts'
import type { Clock, IdempotencyRecords, Ledger, Ports } from '../../core/ports.ts'
import type { Ask, AskKind } from './ask.ts'
import { checkStep } from './checks.ts'
import type { Call, Process, World } from './world.ts'

/** Sends of one request by the SDK. */
const SENDS_MAX = 3

export type StorePorts = Pick<
  Ports,
  | 'idempotencyRecords'
  | 'callLookup'
  | 'keys'
  | 'ledger'
  | 'v0'
  | 'rateCounters'
  | 'profiles'
  | 'sweepEntries'
>

/** The store as one process sees it while it works on `call` (undefined: sweeps). */
export function storeOf(
  world: World,
  process: Process,
  call: Call | undefined,
  clock: Clock,
): StorePorts {
  const { protocol } = world
  const { memory, requests } = world.store
  if (requests !== undefined) {
    const { happened, random, scheduler } = world
    const steps = { faults: () => world.faults, onStep: () => checkStep(world) }
    return noting(requests({ happened, random, scheduler, ...steps }, process), call)
  }
  const ask = askOf(world, process, call)
  const ports = world.store.ports(clock)
  const { keys, profiles } = ports
  const answers = ports.idempotencyRecords
  const { sweepEntries } = ports
  const rateCounters = protocol.rateCounters?.(ports.rateCounters) ?? ports.rateCounters
  const changed = memory === undefined ? undefined : protocol.store?.(ports.ledger, memory)
  const ledger = ledgerOver(ask, changed ?? ports.ledger)
  const aged = protocol.profileRead ?? ((profile) => profile)
  return {
    keys: { ...keys, find: (keyHash) => ask('key', 'read', () => keys.find(keyHash)) },
    // No user of these worlds is of the earlier service.
    v0: ports.v0,
    // The count enters its user for the sweep, so it can fail like any write. No call of these worlds is past a limit.
    rateCounters: {
      ...rateCounters,
      count: (counter) =>
        ask(`count ${counter.minute}`, 'write', () => rateCounters.count(counter)).then(() => 1),
    },
    callLookup: {
      read: (query) =>
        ask('records', 'read', async () => {
          const profile = staleProfile(world)
          const records = await ports.callLookup.read(query)
          const recentCalls = world.store.leaves === true ? staleRecent(world) : undefined
          const shown = profile === undefined ? undefined : aged(profile)
          return {
            ...records,
            profile: shown,
            recentCalls: protocol.recent?.(recentCalls) ?? recentCalls,
          }
        }),
    },
    profiles: {
      ...profiles,
      read: (uid) =>
        ask('profile', 'read', async () => {
          const profile = await profiles.read(uid)
          return profile === undefined ? undefined : aged(profile)
        }),
    },
    sweepEntries: {
      put: (sweepEntry) =>
        ask(`sweepEntry ${sweepEntry.minute}`, 'write', () => sweepEntries.put(sweepEntry)),
      list: (minute, page) =>
        ask(`sweepEntries of ${minute}`, 'read', () => sweepEntries.list(minute, page)),
      readCursor: () => ask('cursor', 'read', () => sweepEntries.readCursor()),
      writeCursor: (cursor) =>
        ask(`cursor to ${cursor.minute}`, 'write', () => sweepEntries.writeCursor(cursor)),
    },
    ledger: (memory === undefined ? undefined : protocol.process?.(ledger, ask, memory)) ?? ledger,
    idempotencyRecords: answersOver(ask, protocol.answers?.(answers) ?? answers),
  }
}

/** The same ports; a request that the store does not answer is noted on the call. */
function noting(ports: StorePorts, call: Call | undefined): StorePorts {
  const noted = (cause: unknown) => {
    call?.disturbances.add('fault')
    throw cause
  }
  const port = (methods: object) =>
    new Proxy(methods, {
      get: (target, name) => {
        const run: unknown = Reflect.get(target, name)
        if (typeof run !== 'function') return run
        return (...args: unknown[]) => Reflect.apply(run, target, args).catch(noted)
      },
    })
  const all = Object.entries(ports).map(([name, methods]) => [name, port(methods)])
  return Object.fromEntries(all) as StorePorts
}

function ledgerOver(ask: Ask, ledger: Ledger): Ledger {
  return {
    hold: (what) => ask(`hold ${what.callId}`, 'write', () => ledger.hold(what)),
    decide: (request) =>
      ask(`decide ${request.callId} ${request.state} ${request.reason ?? ''}`, 'write', () =>
        ledger.decide(request),
      ),
    release: (request) =>
      ask(
        `release ${request.callId} #${request.placement ?? '*'} giveBack=${request.giveBack}`,
        'write',
        () => ledger.release(request),
      ),
    find: (key) => ask(`find ${key.callId}`, 'read', () => ledger.find(key)),
    list: (of) => ask('list', 'read', () => ledger.list(of)),
    voidSettled: (what) =>
      ask(`void settled ${what.callId}`, 'transaction', () => ledger.voidSettled(what)),
    grant: (what) => ask(`grant ${what.grantId}`, 'transaction', () => ledger.grant(what)),
    grants: (of) => ask('grants', 'read', () => ledger.grants(of)),
    dropReasons: (of) => ask('drop reasons', 'write', () => ledger.dropReasons(of)),
  }
}

function answersOver(ask: Ask, answers: IdempotencyRecords): IdempotencyRecords {
  return {
    claim: (claim) => ask(`claim for ${claim.callId}`, 'write', () => answers.claim(claim)),
    keep: (kept) => ask(`keep ${kept.id}`, 'write', () => answers.keep(kept)),
    drop: (claim) => ask(`free ${claim.id}`, 'write', () => answers.drop(claim)),
  }
}

/** Eventually consistent: what the profile was a few changes ago. */
function staleProfile({ profiles, random, faults, store }: World) {
  if (!random.chance(faults.stale)) return store.profile()
  return profiles[Math.max(0, profiles.length - 1 - random.below(6))]
}

/** Eventually consistent likewise, and no more than the newest. */
function staleRecent({ faults, outcomes, random, store }: World) {
  const seen = random.chance(faults.stale)
    ? (outcomes[Math.max(0, outcomes.length - 1 - random.below(6))] ?? [])
    : store.outcomes()
  return [...seen].sort((a, b) => (a.callId < b.callId ? 1 : -1)).slice(0, RECENT_MAX)
}

const RECENT_MAX = 4

function askOf(world: World, process: Process, call: Call | undefined): Ask {
  const { scheduler } = world
  return (label, kind, apply) => {
    const text = `${process.name}: ${label}`
    const perform = () => {
      const answer = apply()
      checkStep(world)
      return answer
    }
    return new Promise((resolve, reject) => {
      const send = (sends: number) => {
        const again = () => {
          if (sends < SENDS_MAX) return send(sends + 1)
          call?.disturbances.add('fault')
          reject(new Fault('store_unavailable', 'store: did not answer'))
        }
        const fate = fateOf(world, kind)
        world.happened.add(fate)
        switch (fate) {
          case 'done':
          case 'duplicated':
            return scheduler.store(text, () => {
              if (isLost(world, process)) return
              const answer = perform()
              if (fate === 'duplicated') scheduler.late(`again ${text}`, perform)
              scheduler.soon(`answer to ${text}`, () => resolve(answer), process)
            })
          case 'answerLost':
            return scheduler.store(`${text} (answer lost)`, () => {
              if (isLost(world, process)) return
              perform()
              scheduler.soon(`${text} timed out`, again, process)
            })
          case 'late':
            scheduler.late(`late ${text}`, perform)
            return scheduler.soon(`${text} timed out`, again, process)
          case 'throttled':
            return scheduler.soon(`${text} throttled`, again, process)
          default:
            fate satisfies never
        }
      }
      send(1)
    })
  }
}

/** A request that a process had in flight when it died arrives half of the time. */
function isLost({ random }: World, process: Process): boolean {
  return !process.alive && random.chance(0.5)
}

type Fate = 'done' | 'duplicated' | 'answerLost' | 'late' | 'throttled'

function fateOf({ random, faults }: World, kind: AskKind): Fate {
  if (random.chance(faults.throttled)) return 'throttled'
  if (kind === 'read') return 'done'
  if (kind === 'transaction' && random.chance(faults.throttled)) return 'throttled'
  if (random.chance(faults.answerLost)) return 'answerLost'
  if (random.chance(faults.late)) return 'late'
  return random.chance(faults.duplicated) ? 'duplicated' : 'done'
}
