/**
 * Administrators set and remove a user's secrets while calls read them: the last answered write
 * stands, a process sees its own writes at once and others' within the cache's time, and a record
 * never holds more names than its limit.
 */
import { SECRET_CACHE_MS, SECRETS_MAX } from '../../../core/secrets/limits.ts'
import type { StoredSecret } from '../../../core/secrets/secret.ts'
import { faultOfLast, type History, lasting, laterThan, openHistory } from '../history.ts'
import type { Value } from '../model/wire.ts'
import type { Scenario } from '../scenario.ts'
import { itemAt, type Process, plan, report, TABLES, type World } from '../world.ts'

const UID = 'u1'
const SKILL = 'sg_x'
const KEY = { pk: `skill:secrets:${UID}`, sk: SKILL }
const NAMES = ['A', 'B', 'C']

export const secrets: Scenario = {
  name: 'secrets',
  async start(world) {
    const { random } = world
    world.refused = new Set()
    const history = openHistory(world)
    if (random.chance(0.4)) fill(world, SECRETS_MAX - 1 - random.below(2))
    for (let admins = 1 + random.below(3); admins > 0; admins -= 1) {
      plan(world, 'an administrator', (process) => administrate(world, history, process))
    }
    for (let calls = random.below(4); calls > 0; calls -= 1) {
      plan(world, 'a call', (process) => look(world, history, process))
    }
    world.check = () => checkRecord(world)
    return async () => checkLast(world, history)
  },
}

/** Other names, so that the record is nearly full. */
function fill({ model }: World, count: number): void {
  const names = Array.from({ length: count }, (_, index) => `F${index}`)
  const mapOf = (value: Value) => ({ M: Object.fromEntries(names.map((name) => [name, value])) })
  const keys = { pk: { S: KEY.pk }, sk: { S: KEY.sk } }
  const item = { ...keys, sealed: mapOf({ B: 'AA==' }), updatedAtMs: mapOf({ N: '1' }) }
  model.tables.put(TABLES.gateway, KEY, item)
}

async function administrate(world: World, history: History, process: Process): Promise<void> {
  const { random } = world
  const { secrets: store } = process.ports
  for (let acts = 1 + random.below(4); acts > 0; acts -= 1) {
    const name = random.pick(NAMES)
    const value = random.chance(0.65) ? history.writes.length + 1 : undefined
    const of = { place: name, value, process: process.name }
    const place = { uid: UID, skillId: SKILL, name }
    await history.during(of, async () => {
      if (value === undefined) {
        await store.remove(place)
        // Gone by this removal or another.
        return true
      }
      const dated = { updatedAtMs: process.clock.nowMs(), binding: undefined }
      const secret = { ...place, ...dated, sealed: new Uint8Array([value]) }
      return (await store.put(secret)) === 'stored'
    })
    if (random.chance(0.3)) await look(world, history, process)
  }
}

async function look(world: World, history: History, process: Process): Promise<void> {
  const { clock, name: by, ports } = process
  const [from, fromMs] = [history.tick(), clock.nowMs()]
  const found = await ports.secrets.find({ uid: UID, skillId: SKILL, names: NAMES })
  const own = (write: { process: string }) => write.process === by
  for (const secret of found) {
    const write = history.writes.find(({ value }) => value === numberIn(secret))
    const later = write === undefined ? [] : laterThan(history, write)
    const missed = later.find(
      (one) => one.ended < from && (own(one) || one.endedAtMs <= fromMs - SECRET_CACHE_MS),
    )
    if (missed !== undefined) report(world, `${by} reads an old value of ${secret.name}`)
  }
  const names = found.map(({ name }) => name)
  for (const place of NAMES.filter((name) => !names.includes(name))) {
    const isVisible = lasting(history, place).some((write) => write.ended < from)
    if (isVisible) report(world, `${by} does not find ${place}, which was stored`)
  }
}

function numberIn({ sealed }: StoredSecret): number | undefined {
  return sealed[0]
}

function checkRecord(world: World): void {
  const item = itemAt(world, 'gateway', KEY)
  if (item === undefined) return
  const [sealed, dates] = [
    Object.keys(item['sealed'] ?? {}),
    Object.keys(item['updatedAtMs'] ?? {}),
  ]
  if (sealed.length > SECRETS_MAX) report(world, `${sealed.length} secrets, at most ${SECRETS_MAX}`)
  if (sealed.join() !== dates.join()) report(world, 'a secret without its date')
}

function checkLast(world: World, history: History): void {
  const sealed = itemAt(world, 'gateway', KEY)?.['sealed'] ?? {}
  for (const place of NAMES) {
    const stored: unknown = Reflect.get(sealed, place)
    const value = typeof stored === 'string' ? Buffer.from(stored, 'base64')[0] : undefined
    const fault = faultOfLast(history, place, value)
    if (fault !== undefined) report(world, fault)
  }
}
