/**
 * A process of its own that opens a store and makes calls on it when it is told to: `open`, `call`,
 * `credits`. Answers each order with its result.
 */

import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { Fault } from '../../../../core/errors.ts'
import type { StorePorts } from '../../../../core/ports/ports.ts'
import { holdOf, profileOf, settledOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'

process.once('disconnect', () => process.exit(0))

const [, , path = ''] = process.argv
let ports: StorePorts | undefined
let calls = 0

process.on('message', (order: string) => {
  void obey(order).then(
    (did) => process.send?.({ did }),
    (cause: unknown) => {
      const code = cause instanceof Fault ? cause.code : 'bug'
      process.send?.({ code, message: cause instanceof Error ? cause.message : String(cause) })
    },
  )
})

async function obey(order: string): Promise<unknown> {
  ports ??= openLocalStore({ file: path, clock: testClock() }).ports
  if (order === 'open') return ports.profiles.create(profileOf('u-1', { credits: 1_000_000 }))
  if (order === 'call') return call(ports)
  const profile = await ports.profiles.read('u-1')
  const held = Object.values(profile?.holds ?? {}).reduce((sum, { amount }) => sum + amount, 0)
  return { credits: profile?.credits, held, charged: await chargedBy(ports, profile?.holds ?? {}) }
}

/** A paid call, with a reply so long that a disk is full soon. Answers how many were settled. */
async function call({ ledger, replies }: StorePorts): Promise<number> {
  const callId = `1-${process.pid}-${performance.now()}`
  const held = await ledger.hold({ uid: 'u-1', callId, holdsMax: 32, hold: holdOf(1) })
  if (held.kind !== 'held') throw new Error(held.why)
  await replies.append({ hash: callId, seq: 1, sealed: new Uint8Array(50_000) })
  const { placement } = held.profile.holds[callId] ?? { placement: 0 }
  await ledger.decide({ ...settledOf('u-1', callId, 1), placement })
  await ledger.release({ uid: 'u-1', callId, giveBack: false, placement })
  calls += 1
  return calls
}

/** Of calls whose hold is released. */
async function chargedBy({ ledger }: StorePorts, holds: object): Promise<number> {
  let charged = 0
  let before: string | undefined
  do {
    const more = before === undefined ? {} : { before }
    const { next, outcomes } = await ledger.list({ uid: 'u-1', limit: 100, ...more })
    const released = outcomes.filter(({ callId }) => !(callId in holds))
    charged += released.reduce((sum, { amount }) => sum + amount, 0)
    before = next
  } while (before !== undefined)
  return charged
}
