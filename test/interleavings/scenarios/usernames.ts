/**
 * Users are made and renamed at once: of two users who have one name at the end, whose changes were
 * both answered, one was warned of the other, and whoever takes the name next is warned of both.
 */
import { withNameWarning } from '../../../core/flow/accounts/claim-username.ts'
import { createUser, patchUser, type UserView } from '../../../core/flow/accounts/manage-users.ts'
import type { Scenario } from '../scenario.ts'
import { type Process, plan, quietly, report, type World } from '../world.ts'

/** The first two are one name. */
const NAMES = ['ada', 'Ada', 'grace']
const USERS_MAX = 6

type Person = {
  readonly uid: string
  /** The name that the last answered change gave; undefined while a change is unanswered. */
  username: string | undefined
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
  return { uid: `u${index}`, username: undefined, warnedOf: new Set() }
}

/** Renamed once at most: a late copy of an older renaming would bring the older name back. */
async function live(world: World, process: Process, person: Person): Promise<void> {
  const { random } = world
  const { uid } = person
  const made = await createUser(needsOf(process), { uid, username: random.pick(NAMES) })
  if (!made.ok) throw new Error(made.error.detail)
  await claim(process, person, made.value)
  if (!random.chance(0.5)) return
  person.username = undefined
  const renamed = await patchUser(needsOf(process), uid, { username: random.pick(NAMES) })
  if (!renamed.ok) throw new Error(renamed.error.detail)
  await claim(process, person, renamed.value)
}

async function claim(process: Process, person: Person, user: UserView): Promise<void> {
  for (const uid of await othersOf(process, user)) person.warnedOf.add(uid)
  person.username = user.username
}

async function othersOf(process: Process, user: UserView): Promise<readonly string[]> {
  const { warnings = [] } = await withNameWarning(process.ports, user)
  return warnings.flatMap((text) => /name of users? ([^.]+)\./.exec(text)?.[1]?.split(', ') ?? [])
}

function needsOf({ clock, ports }: Process) {
  return { ...ports, clock, ids: { token: () => 'unused' } }
}

async function checkEnd(world: World, process: Process, people: readonly Person[]): Promise<void> {
  for (const name of ['ada', 'grace']) {
    const named = people.filter(({ username }) => username?.toLowerCase() === name)
    checkPairs(world, named)
    const made = await createUser(needsOf(process), { uid: `next-${name}`, username: name })
    if (!made.ok) throw new Error(made.error.detail)
    const others = await othersOf(process, made.value)
    const missing = named.filter(({ uid }) => !others.includes(uid)).map(({ uid }) => uid)
    if (missing.length > 0) report(world, `the claim of ${name} lacks ${missing.join(', ')}`)
  }
}

function checkPairs(world: World, named: readonly Person[]): void {
  for (const one of named) {
    for (const other of named.filter(({ uid }) => uid > one.uid)) {
      const known = one.warnedOf.has(other.uid) || other.warnedOf.has(one.uid)
      if (!known) report(world, `${one.uid} and ${other.uid} share a name without a warning`)
    }
  }
}
