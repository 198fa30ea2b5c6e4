/**
 * Users are made and renamed at once, some by two administrators: of two users who have one name at the end,
 * whose changes were all answered, one was warned of the other; whoever takes the name next is warned of both;
 * and the claim of a name has nobody who was renamed.
 */
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { profileKey } from '../../../adapters/dynamodb/table.ts'
import { changeUser } from '../../../core/flow/registry/rename-tools.ts'
import { addNameWarning } from '../../../core/flow/users/claim-username.ts'
import { createUser } from '../../../core/flow/users/manage-users.ts'
import type { UserView } from '../../../core/flow/users/user-view.ts'
import type { WarnedUser } from '../../../core/flow/users/warned-user.ts'
import { SETTINGS } from '../../core/flow/world.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { both, itemAt, type Process, plan, quietly, report, type World } from '../world.ts'

/** The first two are one name. */
const NAMES = ['ada', 'Ada', 'grace']
const USERS_MAX = 6

type Person = {
  readonly uid: string
  /** Changes that are under way, or were never answered. */
  open: number
  readonly warnedOf: Set<string>
}

export const usernames: Scenario = {
  name: 'usernames',
  async start(world) {
    const { random } = world
    const people: readonly Person[] = Array.from(
      { length: 2 + random.below(USERS_MAX - 1) },
      newOne,
    )
    for (const person of people) {
      plan(world, `${person.uid} is made`, (process) => live(world, process, person))
    }
    return () => quietly(world, async (_, process) => checkEnd(world, process, people))
  },
}

function newOne(_: unknown, index: number): Person {
  return { uid: `u${index}`, open: 0, warnedOf: new Set() }
}

async function live(world: World, process: Process, person: Person): Promise<void> {
  const { random } = world
  const { uid } = person
  person.open += 1
  const made = await createUser(needsOf(process), { uid, username: random.pick(NAMES) })
  if (!made.ok) throw new Error(made.error.detail)
  noteWarnings(person, await addNameWarning(process.ports, made.value))
  person.open -= 1
  if (!random.chance(0.6)) return
  // By one administrator after the other, or by both at once.
  const renames = [rename(world, process, person)]
  if (random.chance(0.3)) await both(renames)
  if (random.chance(0.5)) renames.push(rename(world, random.pick(aliveIn(world)), person))
  await both(renames)
}

async function rename({ random }: World, process: Process, person: Person): Promise<void> {
  person.open += 1
  const username = random.pick(NAMES)
  const renamed = await changeUser(needsOf(process), SETTINGS, person.uid, { username })
  if (!renamed.ok) throw new Error(renamed.error.detail)
  noteWarnings(person, renamed.value)
  person.open -= 1
}

function aliveIn({ processes }: World): readonly Process[] {
  return processes.filter(({ alive }) => alive)
}

function noteWarnings({ warnedOf }: Person, user: WarnedUser): void {
  for (const uid of othersIn(user)) warnedOf.add(uid)
}

async function othersOf(process: Process, user: UserView): Promise<readonly string[]> {
  return othersIn(await addNameWarning(process.ports, user))
}

function othersIn({ warnings = [] }: WarnedUser): readonly string[] {
  return warnings.flatMap((text) => /name of users? ([^.]+)\./.exec(text)?.[1]?.split(', ') ?? [])
}

function needsOf(process: Process) {
  return { ...flowPorts(process), ids: { token: () => 'unused' } }
}

async function checkEnd(world: World, process: Process, people: readonly Person[]): Promise<void> {
  for (const name of ['ada', 'grace']) {
    const named = answered(people).filter(({ uid }) => nameOf(world, uid) === name)
    checkPairs(world, named)
    const claim = await process.ports.usernames.read(name)
    const others = answered(people).filter(({ uid }) => nameOf(world, uid) !== name)
    const left = others.find(({ uid }) => claim.uids.includes(uid))
    if (left !== undefined) report(world, `${left.uid} is left in the claim of ${name}`)
    const made = await createUser(needsOf(process), { uid: `next-${name}`, username: name })
    if (!made.ok) throw new Error(made.error.detail)
    const warned = await othersOf(process, made.value)
    const missing = named.filter(({ uid }) => !warned.includes(uid)).map(({ uid }) => uid)
    if (missing.length > 0) report(world, `the claim of ${name} lacks ${missing.join(', ')}`)
  }
}

function answered(people: readonly Person[]): readonly Person[] {
  return people.filter(({ open }) => open === 0)
}

function nameOf(world: World, uid: string): string | undefined {
  const item = itemAt(world, 'gateway', profileKey(uid))
  return item === undefined ? undefined : fromProfileItem(item).username.toLowerCase()
}

function checkPairs(world: World, named: readonly Person[]): void {
  for (const one of named) {
    for (const other of named.filter(({ uid }) => uid > one.uid)) {
      const known = one.warnedOf.has(other.uid) || other.warnedOf.has(one.uid)
      if (!known) report(world, `${one.uid} and ${other.uid} share a name without a warning`)
    }
  }
}
