/**
 * Small records that calls write beside the ledger: a client's answer to a question is the first one, and
 * one sender alone hears that it was taken; no request of a minute goes uncounted; the day of a secret's
 * last use never goes back; an excerpt is the one of its call.
 */
import type { Scenario } from '../scenario.ts'
import { itemAt, type Process, plan, quietly, report, type World } from '../world.ts'

const HASH = 'q'.padEnd(43, '-')
const [KEY_HASH, MINUTE] = ['k'.padEnd(43, '-'), 33_333_334]
const FAILED = { uid: 'u1', callId: 'c1' }
const USE = { skillId: 'sg_x', name: 'KEY' }

type Observations = {
  /** The answer of which its sender heard that it was taken. */
  taken: number | undefined
  counted: number
  readonly counts: Set<number>
  day: number
}

export const answers: Scenario = {
  name: 'answers',
  async start(world) {
    const { random } = world
    const heard: Observations = { taken: undefined, counted: 0, counts: new Set(), day: 0 }
    plan(world, 'a call asks its client', (process) => ask(world, heard, process))
    for (let clients = 1 + random.below(3); clients > 0; clients -= 1) {
      plan(world, 'a client answers', (process) => answer(world, heard, process, clients))
    }
    for (let calls = 1 + random.below(4); calls > 0; calls -= 1) {
      plan(world, 'a request is counted', (process) => count(world, heard, process))
      plan(world, 'a secret is used', (process) => use(world, process))
    }
    world.check = () => checkDay(world, heard)
    return () => quietly(world, (_, process) => checkEnd(world, heard, process))
  },
}

async function ask(world: World, heard: Observations, { clock, ports }: Process): Promise<void> {
  await ports.clientResponses.expect({ hash: HASH, expiresAtMs: clock.nowMs() + 600_000 })
  for (let looks = 1 + world.random.below(3); looks > 0; looks -= 1) {
    const before = heard.taken
    const read = (await ports.clientResponses.read(HASH))?.[0]
    if (before !== undefined && read !== before) report(world, 'a taken answer is not read')
    await clock.sleep(500)
  }
}

async function answer(
  world: World,
  heard: Observations,
  { clock, ports }: Process,
  client: number,
) {
  const sealed = new Uint8Array([client])
  const isTaken = await ports.clientResponses.put({ hash: HASH, sealed, nowMs: clock.nowMs() })
  if (!isTaken) return
  if (heard.taken !== undefined) report(world, 'two answers were taken')
  heard.taken = client
}

async function count(world: World, heard: Observations, { ports }: Process): Promise<void> {
  const number = await ports.rateCounters.count({ keyHash: KEY_HASH, minute: MINUTE })
  heard.counted += 1
  if (heard.counts.has(number)) report(world, `two requests were counted as number ${number}`)
  heard.counts.add(number)
}

async function use(world: World, { clock, ports }: Process): Promise<void> {
  await ports.sharedSecrets.noteUse({ ...USE, day: world.random.below(30) })
  const expiresAtMs = clock.nowMs() + 604_800_000
  await ports.callExcerpts.put({ ...FAILED, text: 'no', expiresAtMs })
  if ((await ports.callExcerpts.find(FAILED)) !== 'no') report(world, 'an excerpt is not found')
}

function checkDay(world: World, heard: Observations): void {
  const item = itemAt(world, 'gateway', { pk: 'secrets:used', sk: `${USE.skillId}#${USE.name}` })
  const day = Number(String(item?.['day'] ?? 0))
  if (day < heard.day) report(world, 'the day of the last use went back')
  heard.day = Math.max(heard.day, day)
}

async function checkEnd(world: World, { counted, taken }: Observations, { ports }: Process) {
  const read = (await ports.clientResponses.read(HASH))?.[0]
  if (taken !== undefined && read !== taken) report(world, 'a taken answer is gone')
  const last = await ports.rateCounters.count({ keyHash: KEY_HASH, minute: MINUTE })
  if (last <= counted) report(world, `${counted} requests were counted as ${last - 1}`)
}
