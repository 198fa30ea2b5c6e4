/**
 * Equal calls end one after the other, in processes that may die. Each asks the real flow whether an
 * earlier one forgives it, and some are voided. A charged call forgives one, and stays charged.
 */
import { fromOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { profileKey } from '../../../adapters/dynamodb/table.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import { forgiveRepeat } from '../../../core/flow/execute/forgive-repeat.ts'
import { settleCall } from '../../../core/flow/execute/settle-call.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import type { CallFacts } from '../../../core/ledger/call-facts.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import { holdOf, profileOf } from '../../contracts/fresh.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  itemAt,
  itemsIn,
  type Process,
  plan,
  planCrash,
  quietly,
  report,
  type World,
} from '../world.ts'

const UID = 'u1'
const START = 10_000
const PRICE = 100
const FINGERPRINT = 'f'.repeat(22)
const FACTS: CallFacts = { keyId: 'k', door: 'rest', phases: {}, fingerprint: FINGERPRINT }

export const equalCalls: Scenario = {
  name: 'equal calls',
  async start(world) {
    const { random } = world
    await quietly(world, async ({ profiles }) => {
      await profiles.create(profileOf(UID, { credits: START }))
    })
    const ids: string[] = []
    for (let callers = 2 + random.below(4); callers > 0; callers -= 1) {
      plan(world, 'an equal call is made', async (process) => {
        for (let times = 1 + random.below(2); times > 0; times -= 1) await makeCall(process, ids)
      })
    }
    for (let voids = random.below(3); voids > 0; voids -= 1) {
      plan(world, 'a call is voided', async (process) => {
        await process.clock.sleep(random.below(200))
        const callId = ids.length === 0 ? undefined : random.pick(ids)
        if (callId === undefined) return
        await voidCall(flowPorts(process), { uid: UID, callId, reason: 'void' })
      })
    }
    planCrash(world)
    return async () => checkEnd(world)
  },
}

async function makeCall(process: Process, ids: string[]): Promise<void> {
  const ports = flowPorts(process)
  const arrivedAtMs = ports.clock.nowMs()
  const callId = makeCallId(arrivedAtMs, ports.ids.token(16))
  ids.push(callId)
  const hold = holdOf(PRICE, { heldAtMs: arrivedAtMs, writeToken: ports.ids.token(16) })
  const held = await ports.ledger.hold({ uid: UID, callId, hold, holdsMax: 32 })
  const placement = held.profile?.holds[callId]?.placement
  if (held.kind !== 'held' || placement === undefined) return
  const { skillId, source } = hold
  const call = { uid: UID, callId, skillId, source, skillVersion: 1, amount: PRICE, placement }
  const durationMs = ports.clock.nowMs() - arrivedAtMs
  const ended = await settleCall(
    ports,
    { ...call, createdAtMs: arrivedAtMs, facts: FACTS },
    { state: 'settled', upstreamStatus: 200, durationMs },
  )
  if (!ended.isPaid) return
  const later = { uid: UID, callId, arrivedAtMs, fingerprint: FINGERPRINT, withinSec: 60 }
  await forgiveRepeat(ports, later)
}

function checkEnd(world: World): void {
  const item = itemAt(world, 'gateway', profileKey(UID))
  if (item === undefined) {
    report(world, 'the profile is gone')
    return
  }
  const { credits, holds } = fromProfileItem(item)
  const outcomes = itemsIn(world, 'gateway', `ledger:${UID}`).map(fromOutcomeItem)
  const paid = outcomes.filter(({ state }) => state === 'settled')
  // A process that died left its hold, and a late copy of a hold has another number than its outcome.
  const open = Object.entries(holds).filter(
    ([callId, { placement }]) =>
      !paid.some((one) => one.callId === callId && one.placement === placement),
  )
  const sum = credits + (paid.length + open.length) * PRICE
  if (sum !== START) report(world, `credits + charged + held = ${sum}, given were ${START}`)
  for (const outcome of outcomes) checkPair(world, outcome, outcomes)
}

function checkPair(world: World, call: Outcome, outcomes: readonly Outcome[]): void {
  if (call.forgave !== undefined) {
    world.happened.add('forgiven')
    if (call.state !== 'settled') report(world, `${call.callId} forgave a call and is free`)
    const forgiven = outcomes.find(({ callId }) => callId === call.forgave)
    if (forgiven?.reason !== 'repeat') report(world, `${call.forgave} is not forgiven`)
  }
  if (call.reason !== 'repeat') return
  const payers = outcomes.filter(({ forgave }) => forgave === call.callId)
  if (payers.length !== 1) report(world, `${call.callId} was forgiven by ${payers.length} calls`)
}
