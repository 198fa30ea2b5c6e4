/**
 * Sub-keys of one key are issued and revoked, and limits of its user are changed, all at once. There
 * are never more sub-keys than allowed, an issued one has its limit, and a revoked one never returns.
 */
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { authKey, profileKey } from '../../../adapters/dynamodb/table.ts'
import { keyOf, profileOf } from '../../contracts/fresh.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, itemAt, type Process, plan, quietly, report, type World } from '../world.ts'

const UID = 'u1'
const PARENT = 'k1'.padEnd(43, '-')
const SUB_KEYS_MAX = 2
const DAY_MS = 86_400_000

type SubKey = {
  readonly keyHash: string
  isIssued: boolean
  isRevoking: boolean
  isRevoked: boolean
}

export const subKeys: Scenario = {
  name: 'sub-keys',
  async start(world) {
    const { random } = world
    const issued: SubKey[] = []
    await quietly(world, async ({ keys, profiles }, { clock }) => {
      await profiles.create(profileOf(UID))
      await keys.put(recordOf(PARENT, clock.nowMs(), { scope: { mayIssueKeys: true } }))
    })
    // Late copies of writes that another one overtook are rare without this.
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    for (let agents = 2 + random.below(4); agents > 0; agents -= 1) {
      plan(world, 'sub-keys are issued', async (process) => {
        for (let times = 1 + random.below(2); times > 0; times -= 1) {
          await issue(world, process, issued)
        }
      })
    }
    for (let admins = random.below(3); admins > 0; admins -= 1) {
      plan(world, 'a limit is changed', changeLimit)
    }
    world.check = () => checkCount(world, issued)
    return async () => checkEnd(world, issued)
  },
}

function recordOf(keyHash: string, nowMs: number, more: object) {
  const dates = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + DAY_MS }
  return keyOf(keyHash, { uid: UID, ...dates, ...more })
}

async function issue(world: World, process: Process, issued: SubKey[]): Promise<void> {
  const { clock, ports } = process
  const keyHash = `sub:${String(issued.length).padEnd(43, '-')}`
  const key: SubKey = { keyHash, isIssued: false, isRevoking: false, isRevoked: false }
  issued.push(key)
  const nowMs = clock.nowMs()
  const answer = await ports.keys.putSubKey({
    record: recordOf(keyHash, nowMs, { parentHash: PARENT }),
    parentHash: PARENT,
    limits: { day: { limit: 5, nowMs } },
    max: SUB_KEYS_MAX,
  })
  if (answer !== 'put') return
  key.isIssued = true
  if (!world.random.chance(0.6)) return
  key.isRevoking = true
  await ports.keys.revoke({ uid: UID, keyHash })
  key.isRevoked = true
}

async function changeLimit({ clock, ports }: Process): Promise<void> {
  await ports.profiles.changeKeyLimits({
    uid: UID,
    keyHash: PARENT,
    change: { day: { limit: 9, nowMs: clock.nowMs() } },
    listKeys: async () => (await ports.keys.list(UID)).map(({ keyHash }) => keyHash),
  })
}

function listStored(world: World, issued: readonly SubKey[]): readonly string[] {
  const hashes = issued.map(({ keyHash }) => keyHash)
  return hashes.filter((hash) => itemAt(world, 'gateway', authKey(hash)) !== undefined)
}

function checkCount(world: World, issued: readonly SubKey[]): void {
  const count = listStored(world, issued).length
  if (count > SUB_KEYS_MAX) report(world, `${count} sub-keys, at most ${SUB_KEYS_MAX}`)
}

function checkEnd(world: World, issued: readonly SubKey[]): void {
  const stored = listStored(world, issued)
  const item = itemAt(world, 'gateway', profileKey(UID))
  const days = item === undefined ? {} : (fromProfileItem(item).keyDays ?? {})
  for (const key of issued) {
    checkKey(world, key, { exists: stored.includes(key.keyHash), hasLimit: key.keyHash in days })
  }
}

function checkKey(
  world: World,
  { isIssued, isRevoked, isRevoking, keyHash }: SubKey,
  { exists, hasLimit }: { readonly exists: boolean; readonly hasLimit: boolean },
): void {
  if (isRevoked && exists) report(world, `${keyHash} was revoked and is back`)
  if (!isIssued || isRevoking) return
  if (!exists) report(world, `${keyHash} was issued and is gone`)
  if (!hasLimit) report(world, `${keyHash} has no limit`)
}
