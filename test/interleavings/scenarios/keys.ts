/**
 * Keys are issued, used, renewed, listed and revoked: a key that was issued works until it is
 * revoked, a revoked one never again, and no key works that its user's list does not show.
 */
import { KEY_CACHE_MS } from '../../../core/access/limits.ts'
import { keyOf } from '../../contracts/fresh.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, itemAt, type Process, plan, quietly, report, type World } from '../world.ts'

const UID = 'u1'

type IssuedKey = {
  readonly keyHash: string
  issued: boolean
  /** Some administrator asked for its revocation. */
  revoking: boolean
  revokedAtMs: number
  /** The numbers of the scopes that changes were asked and answered for, in turn. */
  readonly asked: Set<number>
  readonly answered: { readonly scope: number; readonly fromMs: number; readonly toMs: number }[]
  /** Processes that have heard of a revocation. */
  readonly revokedBy: Set<string>
}

export const keys: Scenario = {
  name: 'keys',
  async start(world) {
    const { random } = world
    // Late copies of changes that another one overtook are rare without this.
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    const issued = Array.from({ length: 1 + random.below(3) }, (_, index) => newKey(index))
    for (const key of issued) {
      plan(world, `${key.keyHash} is issued`, (process) => issue(world, process, key))
      for (let admins = random.below(3); admins > 0; admins -= 1) {
        plan(world, `${key.keyHash} is revoked`, (process) => revoke(process, key))
      }
      for (let changes = random.below(3); changes > 0; changes -= 1) {
        plan(world, `the scope of ${key.keyHash} is changed`, async (process) => {
          for (let times = 1 + random.below(3); times > 0; times -= 1) await limit(process, key)
        })
      }
      for (let calls = random.below(4); calls > 0; calls -= 1) {
        plan(world, `${key.keyHash} is used`, (process) => use(world, process, key))
      }
    }
    for (let lists = random.below(3); lists > 0; lists -= 1) {
      plan(world, 'the keys are listed', (process) => list(world, process, issued))
    }
    world.check = () => checkListed(world, issued)
    return () => quietly(world, async (_, process) => checkEnd(world, process, issued))
  },
}

function newKey(index: number): IssuedKey {
  const keyHash = `k${index}`.padEnd(43, '-')
  const never = { issued: false, revoking: false, revokedAtMs: Infinity }
  return { keyHash, ...never, asked: new Set(), answered: [], revokedBy: new Set() }
}

async function issue(world: World, process: Process, key: IssuedKey): Promise<void> {
  const nowMs = process.clock.nowMs()
  const dates = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + 86_400_000 }
  await process.ports.keys.put(keyOf(key.keyHash, { uid: UID, ...dates }))
  key.issued = true
  for (let times = world.random.below(4); times > 0; times -= 1) await limit(process, key)
  if (world.random.chance(0.4)) await use(world, process, key)
  if (world.random.chance(0.4)) await revoke(process, key)
  if (world.random.chance(0.4)) await use(world, process, key)
}

/** Each change sets another price limit, by which the end tells which change is in effect. */
async function limit({ clock, ports }: Process, key: IssuedKey): Promise<void> {
  if (!key.issued) return
  const scope = key.asked.size + 1
  key.asked.add(scope)
  const fromMs = clock.nowMs()
  const change = { maxCreditsPerCall: scope }
  const changed = await ports.keys.changeScope({ uid: UID, keyHash: key.keyHash, change })
  if (changed !== undefined) key.answered.push({ scope, fromMs, toMs: clock.nowMs() })
}

/** An answered change is in effect unless a later one, or one at the same time, replaced it. */
function checkScope(world: World, key: IssuedKey, scope: number | undefined): void {
  const { answered, asked, keyHash } = key
  const found = answered.find((one) => one.scope === scope)
  const later = answered.find(({ fromMs }) => fromMs > (found?.toMs ?? Infinity))
  if (later !== undefined)
    report(world, `${keyHash} has scope ${scope}, and ${later.scope} came after it`)
  if (scope !== undefined && !asked.has(scope)) report(world, `nobody set scope ${scope}`)
  if (scope === undefined && answered.length > 0) report(world, `the scope of ${keyHash} is gone`)
}

/** Nobody can ask for the revocation of a key that nobody has heard of. */
async function revoke(process: Process, key: IssuedKey): Promise<void> {
  if (!key.issued) return
  key.revoking = true
  await process.ports.keys.revoke({ uid: UID, keyHash: key.keyHash })
  key.revokedAtMs = Math.min(key.revokedAtMs, process.clock.nowMs())
  key.revokedBy.add(process.name)
}

async function use(world: World, process: Process, key: IssuedKey): Promise<void> {
  const { clock, name, ports } = process
  const { issued, revokedAtMs } = key
  if (!issued) return
  const wasRevoked = key.revokedBy.has(name) || revokedAtMs <= clock.nowMs() - KEY_CACHE_MS
  const record = await ports.keys.find(key.keyHash)
  if (record === undefined) {
    if (!key.revoking) report(world, `${name} does not know ${key.keyHash}`)
    return
  }
  if (wasRevoked) report(world, `${name} takes ${key.keyHash}, which was revoked`)
  if (!world.random.chance(0.5)) return
  const { renewedAtMs: ifRenewedAtMs, keyHash } = record
  const nowMs = clock.nowMs()
  await ports.keys.renew({ keyHash, expiresAtMs: nowMs + 1, renewedAtMs: nowMs, ifRenewedAtMs })
}

async function list(world: World, { ports }: Process, issued: readonly IssuedKey[]): Promise<void> {
  const certain = issued.filter((key) => key.issued)
  const gone = issued.filter(({ revokedAtMs }) => revokedAtMs < Infinity)
  const listed = (await ports.keys.list(UID)).map(({ keyHash }) => keyHash)
  for (const { keyHash, revoking } of certain) {
    if (!revoking && !listed.includes(keyHash)) report(world, `the list lacks ${keyHash}`)
  }
  for (const { keyHash } of gone) {
    if (listed.includes(keyHash)) report(world, `the list shows ${keyHash}, which was revoked`)
  }
}

function checkListed(world: World, issued: readonly IssuedKey[]): void {
  for (const { keyHash } of issued) {
    const key = itemAt(world, 'gateway', { pk: `auth:hash:${keyHash}`, sk: '-' })
    const entry = itemAt(world, 'gateway', { pk: `keys:${UID}`, sk: keyHash })
    if (key === undefined || world.violations.length > 0) continue
    if (entry === undefined) report(world, `${keyHash} works, and no list shows it`)
    if (key['uid'] === undefined) report(world, `${keyHash} belongs to nobody`)
  }
}

async function checkEnd(
  world: World,
  process: Process,
  issued: readonly IssuedKey[],
): Promise<void> {
  await list(world, process, issued)
  for (const key of issued) {
    const record = await process.ports.keys.find(key.keyHash)
    const isRevoked = key.revokedAtMs < Infinity
    if (isRevoked && record !== undefined) report(world, `${key.keyHash} was revoked and works`)
    if (record !== undefined) checkScope(world, key, record.scope?.maxCreditsPerCall)
    if (key.issued && !key.revoking && record === undefined) {
      report(world, `${key.keyHash} was issued and does not work`)
    }
  }
}
