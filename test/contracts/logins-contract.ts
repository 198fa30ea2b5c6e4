/**
 * Contract of the port Logins, and of what Keys does to the logins of a key. A store may answer
 * from its cache for 30 s, so tests wait that long before they look whether a token works.
 */
import { describe, expect, test } from 'vitest'
import { KEY_CACHE_MS } from '../../core/access/limits.ts'
import type { KeyRecord } from '../../core/access/principal.ts'
import type { Login } from '../../core/login/login.ts'
import { atOnce, freshHash, keyOf } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

export function describeLogins(name: string, makePorts: MakePorts): void {
  describe(`${name}: logins`, () => {
    const opened = openedPorts(makePorts)

    test('the secret is the same for 20 callers at once, and has 256 bits', async () => {
      const { logins } = opened()
      const secrets = await atOnce(20, () => logins.secret())
      expect(new Set(secrets).size).toBe(1)
      expect(secrets[0]).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(await logins.secret()).toBe(secrets[0])
    })

    test('the secret is read as it was made', async () => {
      const { logins } = opened()
      const before = await logins.readSecret()
      const made = await logins.secret()
      expect([undefined, made]).toContain(before)
      expect(await logins.readSecret()).toBe(made)
    })

    test('a login is found as it was created, and an unknown one is not found', async () => {
      const { clock, logins } = opened()
      const login = freshLogin({ clock })
      expect(await logins.find(login.id)).toBeUndefined()
      expect(await logins.create(login)).toBe(true)
      expect(await logins.find(login.id)).toEqual(login)
    })

    test('a taken id is not created again, and keeps its first login', async () => {
      const { clock, logins } = opened()
      const login = freshLogin({ clock })
      await logins.create(login)
      expect(await logins.create({ ...login, uid: 'u-thief' })).toBe(false)
      expect(await logins.find(login.id)).toEqual(login)
    })

    test('a key is read from the store, and never from a cache', async () => {
      const { keys, logins } = opened()
      const record = keyOf(freshHash())
      expect(await logins.findKey(record.keyHash)).toBeUndefined()
      await keys.put(record)
      await keys.find(record.keyHash)
      expect(await logins.findKey(record.keyHash)).toEqual(record)
      await keys.revoke(record)
      expect(await logins.findKey(record.keyHash)).toBeUndefined()
    })

    describeInvites(opened)
    describeList(opened)
    describeTokens(opened)
    describeAnchors(opened)
    describeEnds(opened)
    describeKeyEnds(opened)
  })
}

function describeInvites(opened: () => StorePorts): void {
  const freshInvite = () => `n:${freshHash()}`
  const freshId = () => freshHash().slice(0, 22)

  test('an invitation is used for one of 20 logins at once, and for no other afterwards', async () => {
    const { logins } = opened()
    const keyHash = freshInvite()
    expect(await logins.findInviteUse(keyHash)).toBeUndefined()
    const ids = Array.from({ length: 20 }, freshId)
    const used = await Promise.all(ids.map((loginId) => logins.useInvite({ keyHash, loginId })))
    expect(used.filter((isUsed) => isUsed)).toHaveLength(1)
    const winner = ids[used.indexOf(true)]
    expect(await logins.findInviteUse(keyHash)).toBe(winner)
    expect(await logins.useInvite({ keyHash, loginId: freshId() })).toBe(false)
    expect(await logins.findInviteUse(keyHash)).toBe(winner)
  })

  test('an invitation is used again for the same login, and alone', async () => {
    const { logins } = opened()
    const use = { keyHash: freshInvite(), loginId: freshId() }
    expect(await logins.useInvite(use)).toBe(true)
    expect(await logins.useInvite(use)).toBe(true)
    expect(await logins.findInviteUse(freshInvite())).toBeUndefined()
  })

  test('the key of an invitation is listed, limited, renewed and revoked like any key', async () => {
    const { clock, keys, logins } = opened()
    const uid = `u-${freshId()}`
    const record = keyOf(freshInvite(), { uid, createdAtMs: clock.nowMs() })
    await keys.put(record)
    expect(await logins.findKey(record.keyHash)).toEqual(record)
    expect(await keys.list(uid)).toEqual([record])
    await keys.changeScope({ uid, keyHash: record.keyHash, change: { tools: ['sg_*'] } })
    await keys.renew({
      keyHash: record.keyHash,
      expiresAtMs: record.expiresAtMs + 1,
      renewedAtMs: record.renewedAtMs + 1,
      ifRenewedAtMs: record.renewedAtMs,
    })
    expect(await logins.findKey(record.keyHash)).toMatchObject({
      scope: { tools: ['sg_*'] },
      renewedAtMs: record.renewedAtMs + 1,
    })
    expect(await keys.revoke(record)).toBe(true)
    expect(await logins.findKey(record.keyHash)).toBeUndefined()
  })
}

function describeList(opened: () => StorePorts): void {
  test('the logins of a user are listed under all keys, and those of no other user', async () => {
    const ports = opened()
    const uid = `u-${freshHash().slice(0, 22)}`
    const first = await created(ports, { uid, clientHost: 'client.example' })
    const second = await created(ports, { uid })
    await created(ports, { uid: `${uid}-2` })
    const ids = (logins: readonly Login[]) => logins.map(({ id }) => id).sort()
    const listed = await ports.logins.list(uid)
    expect(ids(listed)).toEqual(ids([first, second]))
    expect(listed).toContainEqual(first)
    await ports.logins.end(first.id)
    const ended = (await ports.logins.list(uid)).find(({ id }) => id === first.id)
    expect(ended?.endedAtMs).toBeTypeOf('number')
    expect(await ports.logins.list('u-nobody')).toEqual([])
  })

  test('a user with 101 logins has them all listed', async () => {
    const ports = opened()
    const uid = `u-${freshHash().slice(0, 22)}`
    for (let count = 0; count < 101; count += 1) await created(ports, { uid })
    expect(await ports.logins.list(uid)).toHaveLength(101)
  })
}

function describeTokens(opened: () => StorePorts): void {
  test('a token is found beside the keys, with the hash of the key of its login', async () => {
    const ports = opened()
    const login = await created(ports)
    const { isIssued, record, tokenHash } = await issueNext(ports, login)
    expect(isIssued).toBe(true)
    expect(await ports.keys.find(tokenHash)).toEqual(record)
    expect(await ports.logins.findKey(tokenHash)).toEqual(record)
    expect(record).toMatchObject({ keyHash: login.keyHash, login: login.id })
    expect(await ports.logins.find(login.id)).toMatchObject({
      generation: 1,
      version: 2,
      tokenHashes: [tokenHash],
    })
  })

  test('a token keeps the scope that it was issued with', async () => {
    const ports = opened()
    const scope = { tools: ['sg_*'], maxCreditsPerCall: 5 }
    const { record, tokenHash } = await issueNext(ports, await created(ports), { scope })
    expect(await findLater(ports, tokenHash)).toEqual(record)
  })

  test('a token works for exactly one of 20 issues from the same reading', async () => {
    const ports = opened()
    const login = await created(ports)
    const issues = await atOnce(20, () => issueNext(ports, login))
    expect(issues.filter(({ isIssued }) => isIssued)).toHaveLength(1)
    for (const { isIssued, tokenHash } of issues) {
      expect(await isValid(ports, tokenHash)).toBe(isIssued)
    }
  })

  test('a login that is refreshed on another day still ends with its key', async () => {
    const ports = opened()
    const key = await issuedKey(ports)
    const first = await issueNext(ports, await created(ports, key))
    const rotatedAtMs = first.after.rotatedAtMs + 86_400_000
    const second = await issueNext(ports, first.after, {}, { ...first.after, rotatedAtMs })
    expect(second.isIssued).toBe(true)
    await ports.keys.revoke(key)
    expect(await isValid(ports, second.tokenHash)).toBe(false)
  })

  test('a token ends that the login no longer lists', async () => {
    const ports = opened()
    const first = await issueNext(ports, await created(ports))
    const second = await issueNext(ports, { ...first.after, tokenHashes: [] }, {}, first.after)
    expect(second.isIssued).toBe(true)
    expect(await isValid(ports, first.tokenHash)).toBe(false)
    expect(await isValid(ports, second.tokenHash)).toBe(true)
  })

  test('a token is issued to no login that does not exist', async () => {
    const ports = opened()
    const { isIssued, tokenHash } = await issueNext(ports, freshLogin(ports))
    expect(isIssued).toBe(false)
    expect(await isValid(ports, tokenHash)).toBe(false)
  })
}

function describeAnchors(opened: () => StorePorts): void {
  test('the first token of a login brings its anchor, which names the key and outlives the token', async () => {
    const ports = opened()
    const login = await created(ports)
    expect(await ports.keys.find(anchorOf(login))).toBeUndefined()
    await issueNext(ports, login)
    const anchor = await findLater(ports, anchorOf(login))
    expect(anchor).toMatchObject({
      keyHash: login.keyHash,
      uid: login.uid,
      login: login.id,
      anchor: true,
      proof: login.proof,
    })
    expect(anchor?.scope).toBeUndefined()
    expect((anchor?.expiresAtMs ?? 0) - login.createdAtMs).toBeGreaterThanOrEqual(2_592_000_000)
  })

  test('an anchor is renewed by a refresh of another day, and by none of the same day', async () => {
    const ports = opened()
    const first = await issueNext(ports, await created(ports))
    const read = async () => (await findLater(ports, anchorOf(first.after)))?.renewedAtMs
    const madeAtMs = await read()
    const second = await issueNext(ports, first.after)
    expect(await read()).toBe(madeAtMs)
    const rotatedAtMs = second.after.rotatedAtMs + 86_400_000
    const third = await issueNext(ports, second.after, {}, { ...second.after, rotatedAtMs })
    expect(third.after.rotatedAtMs).toBeGreaterThan(madeAtMs ?? Infinity)
    expect(await read()).toBe(third.after.rotatedAtMs)
  })

  test('an anchor ends with its login, and with the key of the login', async () => {
    const ports = opened()
    const key = await issuedKey(ports)
    const [ended, revoked] = [await created(ports), await created(ports, key)]
    await issueNext(ports, ended)
    await issueNext(ports, revoked)
    await ports.logins.end(ended.id)
    await ports.keys.revoke(key)
    expect(await isValid(ports, anchorOf(ended))).toBe(false)
    expect(await isValid(ports, anchorOf(revoked))).toBe(false)
  })

  test('an anchor stays as it is when the scope of the key changes', async () => {
    const ports = opened()
    const key = await issuedKey(ports)
    const { after } = await issueNext(ports, await created(ports, key))
    const before = await ports.keys.find(anchorOf(after))
    await ports.keys.changeScope({ ...key, change: { tools: [] } })
    expect(await findLater(ports, anchorOf(after))).toEqual(before)
  })

  test('an anchor does not come back after the login ended, from whichever reading', async () => {
    const ports = opened()
    for (let round = 0; round < 20; round += 1) {
      const login = await created(ports)
      await Promise.all([issueNext(ports, login), ports.logins.end(login.id)])
      expect(await isValid(ports, anchorOf(login))).toBe(false)
      await issueNext(ports, login)
      expect(await isValid(ports, anchorOf(login))).toBe(false)
    }
  })

  test('a login whose end stopped after its anchor is ended by the next renewal of the anchor', async () => {
    const ports = opened()
    const first = await issueNext(ports, await created(ports))
    // The end of another login with the same proof leaves just that behind.
    const { proof } = first.after
    await ports.logins.end((await created(ports, { proof })).id)
    const rotatedAtMs = first.after.rotatedAtMs + 86_400_000
    const second = await issueNext(ports, first.after, {}, { ...first.after, rotatedAtMs })
    expect(second.isIssued).toBe(false)
    expect((await ports.logins.find(first.after.id))?.endedAtMs).toBeTypeOf('number')
    expect(await isValid(ports, first.tokenHash)).toBe(false)
  })
}

function describeEnds(opened: () => StorePorts): void {
  test('a login ends with all its tokens, and is kept with its time', async () => {
    const ports = opened()
    const first = await issueNext(ports, await created(ports))
    const second = await issueNext(ports, first.after)
    await ports.logins.end(first.after.id)
    expect(await isValid(ports, first.tokenHash)).toBe(false)
    expect(await isValid(ports, second.tokenHash)).toBe(false)
    expect((await ports.logins.find(first.after.id))?.endedAtMs).toBeTypeOf('number')
  })

  test('a login that ended gets no token, also from a reading after the end', async () => {
    const ports = opened()
    const login = await created(ports)
    await ports.logins.end(login.id)
    const ended = (await ports.logins.find(login.id)) ?? login
    for (const before of [login, ended]) {
      const { isIssued, tokenHash } = await issueNext(ports, before)
      expect(isIssued).toBe(false)
      expect(await isValid(ports, tokenHash)).toBe(false)
    }
  })

  test('a login that ends while a token is issued has no token that works, in 20 rounds', async () => {
    const ports = opened()
    for (let round = 0; round < 20; round += 1) {
      const login = await created(ports)
      const [{ tokenHash }] = await Promise.all([
        issueNext(ports, login),
        ports.logins.end(login.id),
      ])
      expect(await isValid(ports, tokenHash)).toBe(false)
    }
  })

  test('the end of an unknown login makes no login', async () => {
    const { clock, logins } = opened()
    const { id } = freshLogin({ clock })
    await logins.end(id)
    expect(await logins.find(id)).toBeUndefined()
  })
}

function describeKeyEnds(opened: () => StorePorts): void {
  test('a revoked key ends its logins and their tokens, and those of no other key', async () => {
    const ports = opened()
    const [revoked, kept] = [await issuedKey(ports), await issuedKey(ports)]
    const ended = await issueNext(ports, await created(ports, revoked))
    const other = await issueNext(ports, await created(ports, kept))
    await ports.keys.find(ended.tokenHash)
    expect(await ports.keys.revoke(revoked)).toBe(true)
    expect((await ports.keys.find(ended.tokenHash))?.expiresAtMs).toBe(0)
    expect((await issueNext(ports, ended.after)).isIssued).toBe(false)
    expect(await isValid(ports, other.tokenHash)).toBe(true)
  })

  test('a changed scope of a key ends its tokens, and its login gets the next one', async () => {
    const ports = opened()
    const key = await issuedKey(ports)
    const first = await issueNext(ports, await created(ports, key))
    await ports.keys.changeScope({ ...key, change: { tools: [] } })
    expect(await isValid(ports, first.tokenHash)).toBe(false)
    const login = (await ports.logins.find(first.after.id)) ?? first.after
    expect((await issueNext(ports, first.after)).isIssued).toBe(false)
    expect((await issueNext(ports, login)).isIssued).toBe(true)
  })
}

function freshLogin({ clock }: Pick<StorePorts, 'clock'>, more: Partial<Login> = {}): Login {
  return {
    id: freshHash().slice(0, 22),
    uid: 'u-1',
    username: 'ada',
    keyHash: freshHash(),
    keyPrefix: 'sgk_ab12',
    proof: freshHash(),
    clientHash: freshHash(),
    clientName: 'Test',
    redirectUri: 'http://127.0.0.1/callback',
    challenge: freshHash(),
    generation: 0,
    createdAtMs: clock.nowMs(),
    rotatedAtMs: clock.nowMs(),
    tokenHashes: [],
    version: 1,
    ...more,
  }
}

function anchorOf({ proof }: Login): string {
  return `t:${proof}`
}

async function created(ports: StorePorts, more: Partial<Login> = {}): Promise<Login> {
  const login = freshLogin(ports, more)
  await ports.logins.create(login)
  return login
}

async function issuedKey({ keys }: StorePorts): Promise<{ uid: string; keyHash: string }> {
  const record = keyOf(freshHash())
  await keys.put(record)
  return { uid: record.uid, keyHash: record.keyHash }
}

async function issueNext(
  { clock, logins }: StorePorts,
  login: Login,
  more: Partial<KeyRecord> = {},
  before = login,
) {
  const tokenHash = `t:${freshHash()}`
  const record = keyOf(login.keyHash, {
    login: login.id,
    expiresAtMs: clock.nowMs() + 3_600_000,
    ...more,
  })
  const after: Login = {
    ...login,
    generation: login.generation + 1,
    rotatedAtMs: clock.nowMs(),
    tokenHashes: [...login.tokenHashes, tokenHash],
    version: login.version + 1,
  }
  const isIssued = await logins.issue({ before, after, token: { tokenHash, record } })
  return { isIssued, tokenHash, record, after }
}

async function findLater({ clock, keys }: StorePorts, hash: string) {
  clock.advance(KEY_CACHE_MS)
  return keys.find(hash)
}

async function isValid(ports: StorePorts, tokenHash: string): Promise<boolean> {
  const record = await findLater(ports, tokenHash)
  return record !== undefined && record.expiresAtMs > ports.clock.nowMs()
}
