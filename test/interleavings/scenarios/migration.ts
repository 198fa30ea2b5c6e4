/**
 * One user of the earlier service is moved by every door at once, while that service adds credits, the
 * user calls and an administrator revokes the key: no credits are made or lost, and a revoked key
 * never works again.
 */

import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { parseMicroCredits } from '../../../adapters/dynamodb/client/credits-codec.ts'
import { addDecimals } from '../../../adapters/dynamodb/items/decimal.ts'
import { fromOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { KEY_CACHE_MS } from '../../../core/access/limits.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import { migrateTable } from '../../../core/flow/migration/migrate-table.ts'
import { migrateUser } from '../../../core/flow/migration/migrate-user.ts'
import { sweepV0 } from '../../../core/flow/migration/sweep-v0.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import { holdOf, profileOf, settledOf } from '../../contracts/fresh.ts'
import type { Scenario } from '../scenario.ts'
import {
  itemAt,
  itemsIn,
  type Process,
  plan,
  quietly,
  report,
  START_MS,
  TABLES,
  type World,
} from '../world.ts'

const UID = 'u1'
const KEY_HASH = 'k'.padEnd(43, 'A')
const OLD_CREDITS = { pk: `credits:${UID}`, sk: '-' }
const PROFILE = { pk: `profile:${UID}`, sk: '-' }
const PRICE_MICRO = 400_000

type Case = {
  givenMicro: number
  readonly hasKey: boolean
  /** An administrator has begun to revoke the key, or has ended. */
  revoking: boolean
  revokedAtMs: number
  serial: number
}

export const migration: Scenario = {
  name: 'migration',
  async start(world) {
    const { random } = world
    const testCase = await makeCase(world)
    const actors = [migrator, sweeper, table, caller, caller, finder, finder]
    for (const act of actors) plan(world, act.name, (process) => act(world, testCase, process))
    if (testCase.hasKey) plan(world, 'revoker', (process) => revoker(world, testCase, process))
    if (testCase.hasKey) plan(world, 'finder', (process) => finder(world, testCase, process))
    for (let adds = random.below(3); adds > 0; adds -= 1) {
      plan(world, 'the earlier service adds', async () => add(world, testCase))
    }
    world.check = () => checkSum(world, testCase)
    return () => quietly(world, (_, process) => checkEnd(world, testCase, process))
  },
}

async function makeCase(world: World): Promise<Case> {
  const { random } = world
  const start = random.pick([undefined, 0, 1_000_000, 3_000_000])
  const hasKey = start === undefined || random.chance(0.7)
  const spelling = random.chance(0.5)
    ? KEY_HASH
    : Buffer.from(KEY_HASH, 'base64url').toString('hex')
  if (start !== undefined) put(world, OLD_CREDITS, { value: start / 1_000_000 })
  if (random.chance(0.5)) put(world, { pk: `tier:${UID}`, sk: '-' }, { value: 'pro' })
  if (hasKey) put(world, { pk: `user:uid:${spelling}`, sk: '-' }, { value: UID })
  const startMicro = random.pick([0, 0, 1_000_000])
  if (startMicro > 0) {
    const born = profileOf(UID, { credits: startMicro })
    await quietly(world, async ({ profiles }) => void (await profiles.create(born)))
  }
  const givenMicro = startMicro + (start ?? 0)
  return { givenMicro, hasKey, revoking: false, revokedAtMs: Infinity, serial: 0 }
}

function put({ model }: World, key: { pk: string; sk: string }, more: object): void {
  model.tables.put(TABLES.gateway, key, { ...key, ...more })
}

/** One atomic write of another service. */
function add(world: World, testCase: Case): void {
  const item = world.model.tables.get(TABLES.gateway, OLD_CREDITS)
  const value = item?.['value']
  const before = value instanceof NumberValue ? value.value : '0'
  const sum = NumberValue.from(addDecimals(before, '0.7'))
  put(world, OLD_CREDITS, { value: sum })
  testCase.givenMicro += 700_000
  world.check()
}

function portsOf(testCase: Case, { clock, ports }: Process) {
  const token = () => {
    testCase.serial += 1
    return `t${testCase.serial}`
  }
  const ids: Ports['ids'] = { token }
  const log: Ports['log'] = { call: () => {}, note: () => {} }
  return { ...ports, clock, ids, log }
}

async function migrator(_world: World, testCase: Case, process: Process): Promise<void> {
  await migrateUser(portsOf(testCase, process), { uid: UID, known: testCase.hasKey })
}

async function sweeper(_world: World, testCase: Case, process: Process): Promise<void> {
  await sweepV0(portsOf(testCase, process))
}

async function table(_world: World, testCase: Case, process: Process): Promise<void> {
  let cursor: string | undefined
  do {
    const from = { cursor, dryRun: false, limit: 2 }
    const step = await migrateTable(portsOf(testCase, process), from)
    cursor = step.ok ? step.value.nextCursor : undefined
  } while (cursor !== undefined)
}

/** A call as execute makes one, as far as its credits go. */
async function caller(_world: World, testCase: Case, process: Process): Promise<void> {
  const ports = portsOf(testCase, process)
  testCase.serial += 1
  const callId = makeCallId(START_MS, `c${testCase.serial}`)
  const hold = holdOf(PRICE_MICRO, { writeToken: callId })
  const asked = { uid: UID, callId, hold, holdsMax: 32 }
  let answer = await ports.ledger.hold(asked)
  if (answer.kind === 'refused') {
    await migrateUser(ports, { uid: UID })
    answer = await ports.ledger.hold(asked)
  }
  if (answer.kind !== 'held') return
  const placement = answer.profile.holds[callId]?.placement ?? 0
  const outcome = await ports.ledger.decide({ ...settledOf(UID, callId, PRICE_MICRO), placement })
  const giveBack = outcome.state === 'refunded'
  await ports.ledger.release({ uid: UID, callId, giveBack, placement })
}

async function finder(world: World, testCase: Case, process: Process): Promise<void> {
  if (!testCase.hasKey) return
  // Longer than the cache keeps a key: the cache is the subject of another scenario.
  await process.clock.sleep(KEY_CACHE_MS + 1)
  const wasRevoked = testCase.revokedAtMs <= process.clock.nowMs() - KEY_CACHE_MS
  const found = await process.ports.keys.find(KEY_HASH)
  if (wasRevoked && found !== undefined) report(world, 'a revoked key lives')
  if (!testCase.revoking && found?.uid !== UID) report(world, 'a key is not found')
}

async function revoker(world: World, testCase: Case, process: Process): Promise<void> {
  const { keys } = process.ports
  const knowsHash = world.random.chance(0.5)
  for (let looks = 0; looks < 4; looks += 1) {
    if (!knowsHash && (await keys.list(UID)).length === 0) continue
    testCase.revoking = true
    const revoked = await keys.revoke({ uid: UID, keyHash: KEY_HASH })
    if (revoked) testCase.revokedAtMs = process.clock.nowMs()
    return
  }
}

function checkSum(world: World, testCase: Case): void {
  if (world.violations.length > 0) return
  const item = itemAt(world, 'gateway', PROFILE)
  const profile = item === undefined ? undefined : fromProfileItem(item)
  const holds = profile?.holds ?? {}
  const held = Object.values(holds).reduce((sum, hold) => sum + hold.amount, 0)
  // A settled call that is not released yet still counts as its hold; a late copy of the hold, which
  // has another placement, is one that the sweep gives back.
  const paid = itemsIn(world, 'gateway', `ledger:${UID}`)
    .filter((outcome) => outcome['state'] === 'settled')
    .map(fromOutcomeItem)
    .filter(({ callId, placement }) => holds[callId]?.placement !== placement)
    .reduce((sum, { amount }) => sum + amount, 0)
  const sum = (profile?.credits ?? 0) + held + paid + oldMicro(world)
  if (sum !== testCase.givenMicro)
    report(world, `there are ${sum}, and were given ${testCase.givenMicro}`)
}

function oldMicro(world: World): number {
  const value = itemAt(world, 'gateway', OLD_CREDITS)?.['value']
  return value instanceof NumberValue ? (parseMicroCredits(value.value) ?? 0) : 0
}

/** One more request to a door that works: no old credits remain, and the key is where it belongs. */
async function checkEnd(world: World, testCase: Case, process: Process): Promise<void> {
  const ports = portsOf(testCase, process)
  await process.ports.keys.find(KEY_HASH)
  await sweepV0(ports)
  await migrateUser(ports, { uid: UID })
  checkSum(world, testCase)
  if (oldMicro(world) > 0) report(world, `${oldMicro(world)} were never folded in`)
  const record = itemAt(world, 'gateway', { pk: `auth:hash:${KEY_HASH}`, sk: '-' })
  if (testCase.revokedAtMs < Infinity && record !== undefined) report(world, 'a revoked key lives')
  if (testCase.hasKey && !testCase.revoking && record === undefined)
    report(world, 'a key was never moved')
}
