/**
 * Administrators set and remove a user's secrets, or shared ones, while calls read them: the last
 * answered write stands, a refused one never does, a process sees its own writes at once and others'
 * within the cache's time, a record never holds more names than its limit, and beside a shared secret
 * stands only a value that was put before it.
 */
import { SECRET_CACHE_MS, SECRETS_MAX, SHARED_SECRETS_MAX } from '../../../core/secrets/limits.ts'
import type { FoundSecret } from '../../../core/secrets/secret.ts'
import { faultOfLast, type History, lasting, laterThan, openHistory } from '../history.ts'
import type { Scenario } from '../scenario.ts'
import {
  both,
  CONTEST_LATE,
  itemAt,
  type Process,
  plan,
  report,
  TABLES,
  type World,
} from '../world.ts'

const UID = 'u1'
const SKILL = 'sg_x'
const NAMES = ['A', 'B', 'C']
/** Of another name in a record that is full: its removal makes room. */
const FILLER = 'F0'
const PREVIOUS_MS = 3_600_000

type Kind = {
  readonly key: { readonly pk: string; readonly sk: string }
  readonly max: number
  readonly maps: readonly string[]
  readonly isShared: boolean
}

const OWN: Kind = {
  key: { pk: `skill:secrets:${UID}`, sk: SKILL },
  max: SECRETS_MAX,
  maps: [],
  isShared: false,
}
const SHARED: Kind = {
  key: { pk: 'secrets:shared', sk: SKILL },
  max: SHARED_SECRETS_MAX,
  maps: ['previousSealed', 'previousDates', 'previousUntilMs'],
  isShared: true,
}

export const secrets: Scenario = scenarioOf('secrets', OWN)
export const sharedSecrets: Scenario = scenarioOf('shared secrets', SHARED)

type SecretHistory = { readonly kind: Kind; readonly history: History }

function scenarioOf(name: string, kind: Kind): Scenario {
  return {
    name,
    async start(world) {
      const { random } = world
      const watched: SecretHistory = { kind, history: openHistory(world) }
      const isNearlyFull = random.chance(0.5)
      // One place is left, two, or none.
      if (isNearlyFull) fill(world, kind, kind.max - random.below(3))
      for (let admins = 1 + random.below(3); admins > 0; admins -= 1) {
        plan(world, 'an administrator', (process) => administrate(world, watched, process))
      }
      if (isNearlyFull && random.chance(0.7)) {
        plan(world, 'room is made', async ({ ports }) => {
          if (kind.isShared) await ports.sharedSecrets.remove({ skillId: SKILL, name: FILLER })
          else await ports.secrets.remove({ uid: UID, skillId: SKILL, name: FILLER })
        })
      }
      if (random.chance(0.4)) {
        world.chosen = { ...world.chosen, late: CONTEST_LATE }
        plan(world, 'a contest', (process) => contest(world, watched, process, isNearlyFull))
      }
      for (let calls = random.below(4); calls > 0; calls -= 1) {
        plan(world, 'a call', (process) => look(world, watched, process))
      }
      world.check = () => checkRecord(world, kind)
      return async () => checkLast(world, watched)
    },
  }
}

/** Other names, so that the record is nearly full, or full. */
function fill({ model }: World, { isShared, key, maps }: Kind, count: number): void {
  const names = Array.from({ length: count }, (_, index) => `F${index}`)
  const mapOf = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]))
  const updatedAtMs = mapOf({
    atMs: 1,
    binding: '{}',
    ...(isShared ? { setBy: 'admin' } : {}),
  })
  const empty = Object.fromEntries(maps.map((name) => [name, {}]))
  model.tables.put(TABLES.gateway, key, {
    ...key,
    ...empty,
    sealed: mapOf(new Uint8Array([0])),
    updatedAtMs,
    removals: 0,
  })
}

/**
 * Two administrators write at once what only one of them can, and then somebody makes it possible again: two
 * names for the last place, or two removals of one name. The request of the loser was refused; a late copy of
 * it must not be carried out.
 */
async function contest(
  world: World,
  { history, kind }: SecretHistory,
  process: Process,
  isNearlyFull: boolean,
): Promise<void> {
  const { random } = world
  let value = 200
  const act = (name: string, isPut: boolean) => {
    value += 1
    const to = { name, value: isPut ? value : undefined }
    const of = { place: name, value: to.value, process: process.name }
    return history.during(of, () => change(world, kind, process, to))
  }
  const pause = () => process.clock.sleep(random.below(10_000))
  const isForRoom = isNearlyFull && random.chance(0.5)
  if (!isForRoom) await act('A', true)
  await both(isForRoom ? [act('A', true), act('B', true)] : [act('A', false), act('A', false)])
  await pause()
  if (isForRoom) await change(world, kind, process, { name: 'F1', value: undefined })
  else await act('A', true)
}

async function administrate(world: World, watched: SecretHistory, process: Process): Promise<void> {
  const { random } = world
  const { history } = watched
  for (let acts = 1 + random.below(4); acts > 0; acts -= 1) {
    const name = random.pick(NAMES)
    const value = random.chance(0.65) ? history.writes.length + 1 : undefined
    const of = { place: name, value, process: process.name }
    await history.during(of, () => change(world, watched.kind, process, { name, value }))
    if (random.chance(0.3)) await look(world, watched, process)
  }
}

/** True when the store says that the place is as asked: a removal finds it gone by this one or another. */
async function change(
  { random }: World,
  { isShared }: Kind,
  { clock, ports }: Process,
  { name, value }: { readonly name: string; readonly value: number | undefined },
): Promise<boolean> {
  const own = { uid: UID, skillId: SKILL, name }
  const shared = { skillId: SKILL, name }
  if (value === undefined) {
    await (isShared ? ports.sharedSecrets.remove(shared) : ports.secrets.remove(own))
    return true
  }
  const nowMs = clock.nowMs()
  const sealed = new Uint8Array([value])
  if (!isShared) {
    const secret = { ...own, sealed, updatedAtMs: nowMs, binding: '{"origins":[]}' }
    return (await ports.secrets.put(secret)) === 'stored'
  }
  const secret = { ...shared, sealed, updatedAtMs: nowMs, binding: `b${value}`, setBy: 'admin' }
  const keep = random.chance(0.5) ? nowMs + PREVIOUS_MS : undefined
  return (await ports.sharedSecrets.put(secret, keep)) === 'stored'
}

async function look(
  world: World,
  { history, kind }: SecretHistory,
  process: Process,
): Promise<void> {
  const { clock, name: by, ports } = process
  const [from, fromMs] = [history.tick(), clock.nowMs()]
  const wanted = { uid: UID, skillId: SKILL, names: NAMES }
  const found = await ports.secrets.find(kind.isShared ? { ...wanted, withShared: true } : wanted)
  const own = (write: { process: string }) => write.process === by
  for (const secret of found) {
    const write = history.writes.find(({ value }) => value === numberIn(secret))
    const later = write === undefined ? [] : laterThan(history, write)
    const missed = later.find(
      (one) => one.ended < from && (own(one) || one.endedAtMs <= fromMs - SECRET_CACHE_MS),
    )
    if (missed !== undefined) report(world, `${by} reads an old value of ${secret.name}`)
    checkPrevious(world, history, secret)
  }
  const names = found.map(({ name }) => name)
  for (const place of NAMES.filter((name) => !names.includes(name))) {
    const isVisible = lasting(history, place).some((write) => write.ended < from)
    if (isVisible) report(world, `${by} does not find ${place}, which was stored`)
  }
}

/** The value beside another one was put, whole, before that one was answered. */
function checkPrevious(world: World, { writes }: History, secret: FoundSecret): void {
  const { name, previous } = secret
  if (previous === undefined) return
  const [before, after] = [previous.sealed[0], numberIn(secret)].map((number) =>
    writes.find(({ place, value }) => place === name && value === number),
  )
  if (before === undefined || after === undefined || before === after) {
    report(world, `beside ${name} stands a value that nobody put before it`)
    return
  }
  if (previous.binding !== `b${before.value}`) report(world, `the value beside ${name} is mixed`)
  if (after.ended < before.begun) report(world, `beside ${name} stands a younger value`)
}

function numberIn({ sealed }: FoundSecret): number | undefined {
  return sealed[0]
}

function checkRecord(world: World, { key, max, maps }: Kind): void {
  const item = itemAt(world, 'gateway', key)
  if (item === undefined) return
  const namesOf = (map: string) => Object.keys(item[map] ?? {}).join()
  const count = Object.keys(item['sealed'] ?? {}).length
  if (count > max) report(world, `${count} secrets, at most ${max}`)
  if (namesOf('sealed') !== namesOf('updatedAtMs')) report(world, 'a secret without its date')
  if (new Set(maps.map(namesOf)).size > 1) report(world, 'a previous value that is not whole')
}

function checkLast(world: World, { history, kind }: SecretHistory): void {
  const sealed = itemAt(world, 'gateway', kind.key)?.['sealed'] ?? {}
  for (const place of NAMES) {
    const stored: unknown = Reflect.get(sealed, place)
    const value = stored instanceof Uint8Array ? stored[0] : undefined
    const fault = faultOfLast(history, place, value)
    if (fault !== undefined) report(world, fault)
  }
}
