/** Good tokens of people who may no longer come in, who may do less, or who are no administrators. */
import { setTimeout as delay } from 'node:timers/promises'
import { bearer, send } from '../../e2e/http.ts'
import { openRawSession } from '../../e2e/raw-session.ts'
import type { Claims } from '../../issuers/test-issuer.ts'
import { type Attack, EVERYWHERE } from '../attack.ts'
import { ADMIN_AUDIENCE } from '../hostile-issuers.ts'
import { type Note, probingAttack } from '../probes.ts'
import { callText, freshId, freshSkill, postMcp, type Target } from '../target.ts'
import { askAdmin, describeAccess, linkPerson, listByToken, tryDoors } from '../tokens.ts'

const LIST_ONLY = { scope: 'openid tools:read' }
/** What a user is disabled, enabled, linked or unlinked by is in effect everywhere after 30 s. */
const IN_EFFECT_MS_MAX = 40_000
const PAUSE_MS = 250

const LEAVERS = probingAttack({
  name: 'tokens-of-leavers',
  tried:
    'tokens that were good, again and new, after their user was disabled, unlinked and deleted',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { honest } = target.upstreams.issuers
    const { keyId, subject, uid } = await linkPerson(target, honest)
    const old = await honest.sign({ sub: subject })
    const doors = (token: string) => tryDoors(target, token).then((all) => all.join(', '))
    // No skill has the name of the call.
    const admitted = '200, 404, 200'
    note('before', admitted, await doors(old))
    const refused = async (when: string) => {
      const lists = () => listByToken(target, old)
      note(`${when}: the old token`, '403', await untilIs('403', lists))
      const all = '403, 403, 403'
      // Each door is a function of its own on Lambda, and has read the user at its own time.
      note(`${when}: the old token, anywhere`, all, await untilIs(all, () => doors(old)))
      note(`${when}: a new token`, all, await doors(await honest.sign({ sub: subject, jti: when })))
    }
    await target.must('PATCH', `users/${uid}`, { state: 'disabled', reason: 'Left.' })
    await refused('disabled')
    await target.must('PATCH', `users/${uid}`, { state: 'active' })
    note('enabled again', admitted, await untilIs(admitted, () => doors(old)))
    await target.must('DELETE', `users/${uid}/keys/${keyId}`)
    await refused('unlinked')
    const other = await linkPerson(target, honest)
    const others = await honest.sign({ sub: other.subject })
    note('another before its end', '200', await listByToken(target, others))
    await target.must('DELETE', `users/${other.uid}`)
    const deleted = '403'
    note('deleted', deleted, await untilIs(deleted, () => listByToken(target, others)))
    const nobody = await honest.sign({ sub: freshId() })
    note('a subject that was never linked', '403', await listByToken(target, nobody))
  },
})

/** The first answer that is so, or the last one after the time that others may take. */
async function untilIs(expected: string, ask: () => Promise<string>): Promise<string> {
  const endMs = performance.now() + IN_EFFECT_MS_MAX
  for (;;) {
    const got = await ask()
    if (got === expected || performance.now() > endMs) return got
    await delay(PAUSE_MS)
  }
}

const TOO_SMALL = '403 insufficient_scope'
/** None of these allows anything. */
const NO_SCOPES: readonly Claims[] = [
  'openid',
  '',
  'tools:callx',
  'tools:call:x',
  'TOOLS:CALL',
  'tools:*',
  '*',
  'tools',
  'tools:call,tools:read',
  'tools:read\ttools:call',
  7,
  true,
  { 'tools:call': true },
  [['tools:call']],
  undefined,
].map((scope) => ({ scope }))

const SCOPES = probingAttack({
  name: 'tokens-scopes',
  tried:
    'calls by tokens that may only list, at each door and in a session, and scopes like tools:call',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { honest } = target.upstreams.issuers
    const { there } = target.upstreams
    const { subject, uid } = await linkPerson(target, honest)
    const endpoint = `${there.url}/scoped-${freshId()}`
    const skill = await freshSkill(target, { endpoint, method: 'GET' })
    const path = new URL(endpoint).pathname
    const token = await honest.sign({ sub: subject, ...LIST_ONLY })
    note('a list', '200', await listByToken(target, token))
    await tryCalls(target, { note, skill, token })
    const elsewhere = { ...LIST_ONLY, scp: 'tools:call', permissions: ['tools:call'] }
    const other = await honest.sign({ sub: subject, ...elsewhere })
    await tryCalls(target, { note, skill, token: other })
    for (const claims of NO_SCOPES) {
      const none = await honest.sign({ sub: subject, ...claims })
      const got = (await tryDoors(target, none)).join(', ')
      note(JSON.stringify(claims), `${TOO_SMALL}, ${TOO_SMALL}, ${TOO_SMALL}`, got)
    }
    const reached = () => there.seen.filter((one) => one.includes(path)).length
    note('requests to the upstream', '0', String(reached()))
    note('credits', '100', String((await target.credits(uid)).credits))
    const full = await honest.sign({ sub: subject })
    note('a call with tools:call', '200', String((await target.call(full, callText(skill))).status))
    note('its request to the upstream', '1', String(reached()))
  },
})

/** In the text of a result, where no status can say it. */
const NO_CALLS = 'your access token has no scope tools:call'

type Tried = { readonly note: Note; readonly skill: string; readonly token: string }

async function tryCalls(target: Target, { note, skill, token }: Tried): Promise<void> {
  const params = { name: skill, arguments: {} }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const text = JSON.stringify(call)
  const byMcp = await postMcp(target, token, text)
  // Where the challenge is renamed, the client reads the text of a result.
  const refusal = target.runtime === 'lambda' ? '200' : TOO_SMALL
  note('a call at /mcp', refusal, describeAccess(byMcp))
  note('its text', 'refused', byMcp.text.includes(NO_CALLS) ? 'refused' : byMcp.text)
  const batch = await postMcp(target, token, JSON.stringify([call]))
  note('a call in a batch', 'refused', batch.text.includes(NO_CALLS) ? 'refused' : batch.text)
  const byRest = await target.call(token, callText(skill))
  note('a call at /v1/execute', TOO_SMALL, describeAccess(byRest))
  const session = await openRawSession(target.sse, token)
  try {
    await session.post(text)
    const reply = await session.message((data) => data.includes('"id":1'), IN_EFFECT_MS_MAX)
    note('a call in a session', 'refused', reply.includes(NO_CALLS) ? 'refused' : reply)
  } finally {
    session.close()
  }
}

const ADMIN = probingAttack({
  name: 'tokens-at-the-admin-api',
  tried:
    'tokens of agents at the admin API, whatever role they claim, and of administrators elsewhere',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { fickle, honest } = target.upstreams.issuers
    const { subject } = await linkPerson(target, honest)
    const roles = { groups: ['chiefs'], role: 'owner', roles: ['owner'] }
    const agents = await honest.sign({ sub: subject, ...roles })
    note('a list', '200', await listByToken(target, agents))
    note('by bearer', '401', await askAdmin(target, bearer(agents)))
    note('by key', '401', await askAdmin(target, { 'x-admin-key': agents }))
    const write = await send(`${target.admin}/users`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(agents) },
      body: JSON.stringify({ username: 'eve', uid: freshId(), credits: 1 }),
    })
    note('a user by bearer', '401', String(write.status))
    const ask = async (what: string, expected: string, claims: Claims) => {
      const token = await honest.sign({ sub: subject, aud: ADMIN_AUDIENCE, ...claims })
      note(what, expected, await askAdmin(target, bearer(token)))
    }
    await ask('an administrator', '200', roles)
    for (const groups of [
      'chief',
      ['Chiefs'],
      ['chiefs '],
      [['chiefs']],
      { chiefs: 1 },
      undefined,
    ]) {
      await ask(`groups ${JSON.stringify(groups)}`, '403', { ...roles, groups })
    }
    await ask('of the past', '401', { ...roles, exp: 1_000 })
    const unknown = await fickle.sign({ sub: subject, aud: ADMIN_AUDIENCE, ...roles })
    note('of an issuer without administrators', '401', await askAdmin(target, bearer(unknown)))
    const chief = await honest.sign({ sub: subject, aud: ADMIN_AUDIENCE, ...roles })
    const doors = (await tryDoors(target, chief)).join(', ')
    note('at the doors of agents', Array(3).fill('401 invalid_token').join(', '), doors)
    const log = target.log()
    for (const token of [agents, unknown, chief]) {
      note('a token in the log', 'not there', log.includes(token) ? token : 'not there')
    }
  },
})

export const TOKEN_PEOPLE_ATTACKS: readonly Attack[] = [LEAVERS, SCOPES, ADMIN]
