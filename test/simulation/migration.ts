/**
 * One user of the earlier service with all actors at work at once: old readers and writers, movers
 * of every door, new readers and callers, and an administrator who revokes the key. After each step
 * of the store the sum must be unchanged, and the ledger must explain it.
 */
import { sleepingClock } from '../../bench/lib/sleeping-clock.ts'
import { callIdAt } from '../../core/call/call-id.ts'
import { migrateTable } from '../../core/flow/migration/migrate-table.ts'
import { migrateUser } from '../../core/flow/migration/migrate-user.ts'
import { sweepV0 } from '../../core/flow/migration/sweep-v0.ts'
import { auditAccount } from '../../core/ledger/audit.ts'
import type { Profile } from '../../core/ledger/ledger.ts'
import type { V0Value } from '../../core/ledger/v0.ts'
import type { Ports, StorePorts } from '../../core/ports.ts'
import { freshHash, freshName, holdOf, profileOf, settledOf } from '../contracts/fresh.ts'
import { number, type OldService, PICO_PER_MICRO, picoOf, text } from '../contracts/v0-service.ts'
import { type Random, seededRandom } from './random.ts'
import { type Actor, openTurns, type Turns } from './turns.ts'

export type MigrationStore = Pick<StorePorts, 'keys' | 'ledger' | 'v0' | 'profiles'> & {
  readonly old: OldService
  /** A wrong way to move, whose fault must be found. */
  readonly v0Of?: (turns: Turns, actor: Actor) => StorePorts['v0']
}

type World = {
  readonly store: MigrationStore
  readonly random: Random
  readonly turns: Turns
  readonly uid: string
  readonly keyHash: string
  readonly hasKey: boolean
  readonly startPico: number
  /** Credits that the user had here before, without a grant. */
  readonly startMicro: number
  addedMicro: number
  revoked: boolean
  serial: number
  readonly violations: string[]
}

const PRICE_MICRO = 400_000
const LATE = ['move', 'moveKey', 'create', 'watch']

/** Returns the fault, if any, and the steps before it. */
export async function migrateAtRandom(
  seed: number,
  store: MigrationStore,
): Promise<{ violations: readonly string[]; trace: readonly string[] }> {
  const random = seededRandom(seed)
  const turns = openTurns(random, { crash: random.pick([0, 0.02, 0.1]), late: 0.2 })
  const world = await makeWorld(store, random, turns)
  const actors = [migrator, sweeper, table, caller, caller, newReader, newReader, oldReader]
  for (const run of [...actors, ...(world.hasKey ? [revoker] : [])]) start(world, run)
  if ((await store.old.read('credits', world.uid))?.kind !== 'text') {
    for (let writers = random.below(4); writers > 0; writers -= 1) start(world, oldWriter)
  }
  for (let more = random.below(5); more > 0; more -= 1) start(world, random.pick(actors))
  await turns.runOut(() => checkStep(world))
  await checkEnd(world)
  return { violations: world.violations, trace: turns.trace }
}

async function makeWorld(store: MigrationStore, random: Random, turns: Turns): Promise<World> {
  const [uid, keyHash] = [freshName('u-'), freshHash()]
  const credits = random.pick<V0Value | undefined>([
    undefined,
    number('0'),
    number('3'),
    number('1.30000000004'),
    text('2.5'),
  ])
  const hasKey = random.chance(0.7)
  if (credits !== undefined) await store.old.put('credits', uid, credits)
  if (random.chance(0.5)) await store.old.put('tier', uid, text('pro'))
  const spelling = random.chance(0.5) ? keyHash : Buffer.from(keyHash, 'base64url').toString('hex')
  if (hasKey) await store.old.put('key', spelling, text(uid))
  const startMicro = random.pick([0, 0, 1_000_000])
  if (startMicro > 0) await store.profiles.create(profileOf(uid, { credits: startMicro }))
  const start = { startMicro, startPico: picoOf(credits), addedMicro: 0, revoked: false, serial: 0 }
  return { store, random, turns, uid, keyHash, hasKey, ...start, violations: [] }
}

function start(world: World, run: (world: World, actor: Actor) => Promise<void>): void {
  world.serial += 1
  const actor = { name: `${run.name}${world.serial}`, alive: true }
  world.turns.start(actor, (self) => run(world, self))
}

function portsOf({ store, turns, uid }: World, actor: Actor) {
  let serial = 0
  const token = () => {
    serial += 1
    return `${uid}-${actor.name}-${serial}`
  }
  const ids: Ports['ids'] = { token }
  const v0 = store.v0Of?.(turns, actor) ?? turns.port(actor, store.v0, LATE)
  return {
    clock: sleepingClock({ nowMs: () => 2_000_000_000_000, sleep: async () => {} }),
    ids,
    log: { call: () => {}, note: () => {} },
    keys: turns.port(actor, store.keys),
    ledger: turns.port(actor, store.ledger),
    v0,
    profiles: turns.port(actor, store.profiles, LATE),
  }
}

async function migrator(world: World, actor: Actor): Promise<void> {
  const { hasKey, uid } = world
  const known = hasKey || (await world.store.old.read('credits', uid)) !== undefined
  const { profile } = await migrateUser(portsOf(world, actor), { uid, known })
  if (known && profile === undefined) world.violations.push('a user who is known has no profile')
}

async function sweeper(world: World, actor: Actor): Promise<void> {
  await sweepV0(portsOf(world, actor))
}

async function table(world: World, actor: Actor): Promise<void> {
  const ports = portsOf(world, actor)
  let cursor: string | undefined
  do {
    const step = await migrateTable(ports, { cursor, dryRun: false, limit: 1_000 })
    cursor = step.ok ? step.value.nextCursor : undefined
  } while (cursor !== undefined)
}

/** A call as execute makes one, as far as its credits go. */
async function caller(world: World, actor: Actor): Promise<void> {
  const { uid } = world
  const ports = portsOf(world, actor)
  const callId = callIdAt(2_000_000_000_000, actor.name)
  const hold = holdOf(PRICE_MICRO, { writeToken: actor.name })
  const asked = { uid, callId, hold, holdsMax: 32 }
  let answer = await ports.ledger.hold(asked)
  if (answer.kind === 'refused') {
    await migrateUser(ports, { uid })
    answer = await ports.ledger.hold(asked)
  }
  if (answer.kind !== 'held') return
  const placement = answer.profile.holds[callId]?.placement ?? 0
  await ports.ledger.decide({ ...settledOf(uid, callId, PRICE_MICRO), placement })
  await ports.ledger.release({ uid, callId, giveBack: false, placement })
}

async function newReader(world: World, actor: Actor): Promise<void> {
  const { hasKey, keyHash, revoked, uid } = world
  const ports = portsOf(world, actor)
  if (hasKey) {
    const key = await ports.keys.find(keyHash)
    if (revoked && key !== undefined) world.violations.push('a revoked key lives')
    if (!world.revoked && key?.uid !== uid) world.violations.push('a key is not found')
  }
  const { profiles } = world.store
  const peek = { read: () => seeBoth(world, async () => (await profiles.read(uid))?.credits ?? 0) }
  await world.turns.port(actor, peek).read()
}

async function oldReader(world: World, actor: Actor): Promise<void> {
  const { old } = world.store
  const { uid } = world
  const peek = {
    read: () => seeBoth(world, async () => picoOf(await old.read('credits', uid)) / PICO_PER_MICRO),
  }
  for (let looks = 0; looks < 3; looks += 1) await world.turns.port(actor, peek).read()
}

/** Compares in one turn the credits that a reader sees with those that exist. */
async function seeBoth(world: World, look: () => Promise<number>): Promise<void> {
  const view = await look()
  const { here, there } = await standing(world)
  const exists = (here?.credits ?? 0) + there / PICO_PER_MICRO
  if (view > exists) world.violations.push(`a reader saw ${view} of ${exists}`)
}

async function oldWriter(world: World, actor: Actor): Promise<void> {
  const micro = world.random.pick([1_000_000, 3_000_000, 1])
  const adding = {
    add: async () => {
      await world.store.old.add(world.uid, micro)
      world.addedMicro += micro
    },
  }
  await world.turns.port(actor, adding).add()
}

/** Revokes the key once it is in its user's list, or by its hash alone, moved or not. */
async function revoker(world: World, actor: Actor): Promise<void> {
  const { keyHash, uid } = world
  const { keys } = portsOf(world, actor)
  const knowsHash = world.random.chance(0.5)
  for (let looks = 0; looks < 4; looks += 1) {
    if (!knowsHash && (await keys.list(uid)).length === 0) continue
    const revoking = {
      revoke: async () => {
        world.revoked = (await world.store.keys.revoke({ uid, keyHash })) || world.revoked
      },
    }
    return world.turns.port(actor, revoking).revoke()
  }
}

async function standing({ store, uid }: World): Promise<{
  here: Profile | undefined
  there: number
}> {
  const { credits, profile } = await store.v0.read(uid)
  return { here: profile, there: picoOf(credits) }
}

async function checkStep(world: World): Promise<void> {
  if (world.violations.length > 0) return
  const { store, uid } = world
  const { here, there } = await standing(world)
  const { outcomes } = await store.ledger.list({ uid, limit: 100 })
  const none = { uid, profile: here, outcomes, unreadable: [], grants: [] }
  const { charged, credits, held } = auditAccount(none)
  const sum = (credits + held + charged) * PICO_PER_MICRO + there
  const { addedMicro, startMicro, startPico } = world
  const given = (startMicro + addedMicro) * PICO_PER_MICRO + startPico
  if (sum !== given) world.violations.push(`there are ${sum}, and were given ${given}`)
}

/** One more request to a door that works: no old credits remain, and the ledger explains all. */
async function checkEnd(world: World): Promise<void> {
  const { hasKey, keyHash, revoked, store, uid } = world
  const ports = { ...portsOf(world, { name: 'last', alive: true }), ...store }
  if (hasKey && !revoked) await store.keys.find(keyHash)
  await sweepV0(ports)
  await migrateUser(ports, { uid })
  await checkStep(world)
  const { there } = await standing(world)
  if (there >= PICO_PER_MICRO) world.violations.push(`${there} were never folded in`)
  const key = await store.keys.find(keyHash)
  if (revoked && key !== undefined) world.violations.push('a revoked key lives')
  if (hasKey && !revoked && (key === undefined || key.v0 === true)) {
    world.violations.push('a key was never moved')
  }
}
