/**
 * Calls, grants, voids and sweeps of one user: the schedules of test/interleavings/ledger, with their
 * callers and checks, over the single requests of the DynamoDB adapters.
 */

import { makeStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { balanceAt, type Item } from '../../../adapters/dynamodb/client/item.ts'
import { toKeyItem } from '../../../adapters/dynamodb/records/key-item.ts'
import { fromOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { fromProfileItem, toProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { toSkillItem } from '../../../adapters/dynamodb/records/skill-item.ts'
import { dynamoStorePorts } from '../../../adapters/dynamodb/store-ports.ts'
import { debtKey, profileKey, sweepCursorKey } from '../../../adapters/dynamodb/table.ts'
import { createSleepingClock } from '../../../bench/lib/sleeping-clock.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { StorePorts } from '../../../core/ports/ports.ts'
import { sendFrom } from '../delivery.ts'
import type { LedgerStore, RequestHost, Sender } from '../ledger/ledger-store.ts'
import { type CallMix, runSchedule } from '../ledger/schedule.ts'
import { firstKey, firstProfile, firstSkill, START_MS, SWEPT_MINUTE, UID } from '../ledger/user.ts'
import { type Model, openModel } from '../model/model.ts'
import { requestsOver } from '../model/model-client.ts'
import { notingWrites } from '../noted-writes.ts'
import type { Plant } from '../plant.ts'
import type { Run } from '../scenario.ts'
import { type Runtime, withSeededRuntime } from '../seeded-runtime.ts'
import { itemAt, itemsIn, TABLES } from '../world.ts'

export function runCalls(seed: number, plant: Plant, tracing = false): Promise<Run> {
  return runMix('any', seed, plant, tracing)
}

export function runKeyedCalls(seed: number, plant: Plant, tracing = false): Promise<Run> {
  return runMix('keyed', seed, plant, tracing)
}

async function runMix(mix: CallMix, seed: number, plant: Plant, tracing: boolean): Promise<Run> {
  try {
    return await withSeededRuntime(seed, (runtime) =>
      runSchedule(
        seed,
        tracing,
        (startMicro, limits) =>
          openRequests(firstProfile(startMicro, limits), { plant, runtime, seed }),
        mix,
      ),
    )
  } catch (cause) {
    // A record that no adapter can read.
    return { seed, violations: [String(cause)], trace: [], happened: new Set() }
  }
}

type Of = { readonly plant: Plant; readonly runtime: Runtime; readonly seed: number }

function openRequests(profile: Profile, { plant, runtime, seed }: Of): LedgerStore {
  // Long before the first call: no read is so old that it lacks the user or the skill.
  const time = { nowMs: () => START_MS - 3_600_000 }
  const model = openModel(() => time.nowMs())
  fill(model, profile)
  const known = new Map<Sender, StorePorts>()
  const requests = (host: RequestHost, process: Sender): StorePorts => {
    const { scheduler } = host
    time.nowMs = () => scheduler.nowMs()
    runtime.sleep = (ms) => scheduler.sleep(Math.ceil(ms), { alive: true })
    const ports = known.get(process) ?? portsOf(host, process, { model, plant, seed })
    known.set(process, ports)
    return ports
  }
  return {
    ports: requests,
    profile: () => fromProfileItem(itemAt({ model }, 'gateway', profileKey(UID)) ?? {}),
    outcomes: () => ledger(model).filter(isOutcome).map(fromOutcomeItem),
    isListedDebtor: () => itemAt({ model }, 'gateway', debtKey(UID)) !== undefined,
    granted: () =>
      ledger(model)
        .filter((item) => !isOutcome(item))
        .map((item) => balanceAt(item, 'amount')),
  }
}

function portsOf(
  host: RequestHost,
  process: Sender,
  { model, plant, seed }: Omit<Of, 'runtime'> & { readonly model: Model },
): StorePorts {
  const { scheduler } = host
  const clock = createSleepingClock({
    nowMs: () => scheduler.nowMs() + process.offsetMs,
    sleep: (ms, signal) => scheduler.sleep(Math.ceil(ms), process, signal),
  })
  const delivery = {
    ...host,
    model,
    plant,
    // Many requests make a call, so that each fails more rarely than one step of the ports does.
    faults: () => {
      const { answerLost, late, stale, throttled } = host.faults()
      return { answerLost: answerLost / 2, late: late / 2, stale, throttled: throttled / 2 }
    },
  }
  const requests = requestsOver(sendFrom(delivery, process), seed)
  const ports = dynamoStorePorts(makeStore(requests, { tables: TABLES, clock }))
  return notingWrites(plant.ports?.(ports) ?? ports)
}

function fill({ tables }: Model, profile: Profile): void {
  const cursor = {
    ...sweepCursorKey(),
    minute: SWEPT_MINUTE,
    after: '',
    aheadFrom: 0,
    aheadTo: 0,
  }
  const items = [toProfileItem(profile), toKeyItem(firstKey), toSkillItem(firstSkill)]
  for (const item of [...items, cursor]) {
    const key = { pk: String(Reflect.get(item, 'pk')), sk: String(Reflect.get(item, 'sk')) }
    tables.put(TABLES.gateway, key, item)
  }
}

/** Outcomes and grants share the partition. */
function ledger(model: Model): readonly Item[] {
  return itemsIn({ model }, 'gateway', `ledger:${UID}`)
}

function isOutcome(item: Item): boolean {
  return item['callId'] !== undefined
}
