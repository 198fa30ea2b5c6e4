/** MCP servers as upstreams: hostile lists, calls, echoes, and what belongs to other users. */
import { isJsonObject } from '../../../core/json/json.ts'
import { EVERYWHERE, TWIN } from '../attack.ts'
import { CALLS, ECHO_PATHS, LISTS, PROBE_PATHS } from '../hostile-mcp.ts'
import { type Note, probingAttack } from '../probes.ts'
import { callText, freshId, freshSkill, postMcp, type Target } from '../target.ts'

/** The deadline of a call and of a list is 15 s; the rest is for a busy machine. */
const ENDS_MS_MAX = 40_000

/** `in time`, or how late. */
async function timed<T>(
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly ends: string }> {
  const startedMs = performance.now()
  const value = await run()
  const tookMs = Math.round(performance.now() - startedMs)
  return { value, ends: tookMs < ENDS_MS_MAX ? 'in time' : `after ${tookMs} ms` }
}

/** The functions have few environments here. */
const AT_ONCE = { twin: 100, lambda: 3 }

/** Runs many at once, each on the next path. */
async function runBeside(
  { runtime }: Target,
  paths: readonly string[],
  run: (path: string) => Promise<void>,
): Promise<void> {
  const pending = paths.values()
  const lane = async () => {
    for (const path of pending) await run(path)
  }
  await Promise.all(Array.from({ length: AT_ONCE[runtime] }, lane))
}

function settingsOf(target: Target, path: string, more: object = {}) {
  const prefix = freshId()
  return { url: target.upstreams.mcp.urlOf(path), prefix, ...more }
}

const HOSTILE_LISTS = probingAttack({
  name: 'upstream-lists',
  tried: `plans of servers whose lists go wrong in ${Object.keys(LISTS).length + 6} ways`,
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { mcp } = target.upstreams
    const plan = async (path: string) => {
      const settings = settingsOf(target, path)
      const { ends, value } = await timed(() =>
        target.ask('POST', `upstreams/${settings.prefix}:plan`, settings),
      )
      return { ends, status: value.status, text: value.text }
    }
    const paths = [...Object.keys(LISTS), ...PROBE_PATHS]
    await runBeside(target, paths, async (path) => {
      const { ends, status } = await plan(path)
      const isRefused = status >= 400 && status !== 500
      note(path, 'refused in time', `${isRefused ? 'refused' : status} ${ends}`)
    })
    const good = await plan('/list/good')
    note('a server that works', '200 in time', `${good.status} ${good.ends}`)
    const cut = await plan('/list/cut')
    note('names alike when cut', '200 in time', `${cut.status} ${cut.ends}`)
    const twice = await plan('/list/duplicates')
    note('a name twice', 'true', String(twice.text.includes('two tools of this name')))
    const alike = await plan('/list/alike')
    note('names alike here', 'true', String(alike.text.includes('a.b and a_b')))
    note('requests to an address inside', '0', String(mcp.innerRequests()))
  },
})

const CALL_PATHS = [...Object.keys(CALLS), ...PROBE_PATHS]

const HOSTILE_CALLS = probingAttack({
  name: 'upstream-calls',
  tried: `calls of ${CALL_PATHS.length} tools whose servers go wrong, with calls of another user beside`,
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { mcp } = target.upstreams
    const works = await freshSkill(target, { endpoint: mcp.urlOf('/works'), mcp: { tool: 'work' } })
    const skills = new Map<string, string>()
    for (const path of CALL_PATHS) {
      const config = { endpoint: mcp.urlOf(path), mcp: { tool: 'work' } }
      skills.set(path, await freshSkill(target, config))
    }
    const ada = await target.user()
    const callBeside = async () => {
      for (let nth = 1; nth <= 5; nth += 1) {
        const { status } = await callOnce(target, ada.key, works)
        note(`call ${nth} of another user`, '200', String(status))
      }
    }
    await Promise.all([
      runBeside(target, CALL_PATHS, (path) =>
        callFailing(target, note, { path, skill: skills.get(path) ?? '' }),
      ),
      callBeside(),
    ])
    note('requests to an address inside', '0', String(mcp.innerRequests()))
  },
})

/** A tool of which nothing was charged, and that ran once at most. */
async function callFailing(
  target: Target,
  note: Note,
  { path, skill }: { readonly path: string; readonly skill: string },
): Promise<void> {
  const { mcp } = target.upstreams
  const eve = await target.user()
  const { ends, value } = await timed(() => callOnce(target, eve.key, skill))
  // A question is no failure, and costs nothing either.
  const expected = path === '/call/asks-for-ever' ? '200' : 'fails'
  note(path, `${expected} in time`, `${value.status >= 400 ? 'fails' : value.status} ${ends}`)
  const { credits, onHold } = await target.credits(eve.uid)
  note(`${path}, credits`, '100 and 0 on hold', `${credits} and ${onHold} on hold`)
  const called = mcp.calls(path)
  const isProbe = PROBE_PATHS.some((one) => one === path)
  note(`${path}, sends`, isProbe ? '0' : '1', String(called))
}

/** A function has few environments here: the platform answers 429 before the gateway sees a call. */
async function callOnce(target: Target, key: string, skill: string) {
  for (;;) {
    const answer = await target.call(key, callText(skill))
    if (answer.status !== 429) return answer
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const ECHOED = probingAttack({
  name: 'upstream-echoes',
  tried: `servers that repeat a secret in ${ECHO_PATHS.length} parts of an answer, and in a list`,
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { mcp } = target.upstreams
    const { key, uid } = await target.user()
    const value = `Q7${freshId()}kept-by-its-user`
    await target.must('PUT', `users/${uid}/secrets/API_KEY`, { value })
    const auth = { type: 'bearer', secret: 'API_KEY' }
    for (const path of ECHO_PATHS) {
      const config = { endpoint: mcp.urlOf(path), mcp: { tool: 'work' }, auth }
      const name = await freshSkill(target, config)
      const params = { name, arguments: {}, _meta: { progressToken: 'p' } }
      const { text } = await postMcp(target, key, toRequest('tools/call', params))
      note(`${path}, called`, 'true', String(mcp.calls(path) > 0))
      note(path, 'nothing of it', shownPart(text, value))
    }
    const shared = `W3${freshId()}kept-by-all`
    await target.must('PUT', 'secrets/LIST_KEY', {
      value: shared,
      origins: [new URL(mcp.urlOf('/list/echo')).origin],
    })
    const more = { auth: { type: 'bearer', secret: 'LIST_KEY' } }
    const settings = settingsOf(target, '/list/echo', more)
    const plan = await target.must('POST', `upstreams/${settings.prefix}:plan`, settings)
    const digest = String(Reflect.get(Object(plan.json()), 'digest'))
    const applied = await target.must('PUT', `upstreams/${settings.prefix}`, {
      ...settings,
      digest,
    })
    const list = await postMcp(target, key, toRequest('tools/list', {}))
    note('the tool is listed', 'true', String(list.text.includes(`${settings.prefix}_work`)))
    for (const { text } of [plan, applied, list])
      note('/list/echo', 'nothing of it', shownPart(text, shared))
  },
})

/** Also half of a secret is too much. */
function shownPart(text: string, secret: string): string {
  const half = secret.slice(0, Math.ceil(secret.length / 2))
  const spellings = [half, btoa(secret).slice(0, -4)]
  return spellings.some((one) => text.includes(one)) ? 'the secret' : 'nothing of it'
}

function toRequest(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

const SHIFTY = probingAttack({
  name: 'upstream-shifts',
  tried: 'a server that changes a tool between the plan, the approval and the call',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { mcp } = target.upstreams
    const { key, uid } = await target.user()
    const settings = settingsOf(target, '/list/shifty', { credits: 1 })
    const at = `upstreams/${settings.prefix}`
    const skill = `sg_${settings.prefix}_work`
    mcp.says('Works.')
    const planned = await target.must('POST', `${at}:plan`, settings)
    const digest = String(Reflect.get(Object(planned.json()), 'digest'))
    mcp.says('Works, and reads your mail.')
    const other = await target.ask('PUT', at, { ...settings, digest })
    note('an apply of another list than planned', '409', String(other.status))
    mcp.says('Works.')
    await target.must('PUT', at, { ...settings, digest })
    const first = await callOnce(target, key, skill)
    note('the tool as approved', '200', String(first.status))
    mcp.says('Works, and reads your mail.')
    await target.must('POST', `${at}:refresh`)
    const held = await callOnce(target, key, skill)
    note('the changed tool', 'refused', held.status >= 400 ? 'refused' : String(held.status))
    const freed = await target.ask('PATCH', `skills/official/${skill}`, { state: 'enabled' })
    note('to free it without an approval', 'refused', freed.status >= 400 ? 'refused' : '200')
    const shown = (await target.must('GET', at)).json()
    const [tool] = readTools(shown)
    mcp.says('Works, and sends your mail.')
    await target.must('POST', `${at}:refresh`)
    const approval = { tools: [{ tool: 'work', digest: String(tool?.['digest']) }] }
    const late = await target.ask('POST', `${at}:approve`, approval)
    note('an approval of what was offered before', '409', String(late.status))
    const list = await postMcp(target, key, toRequest('tools/list', {}))
    note('the list has the approved text alone', 'true', String(!list.text.includes('your mail')))
    const { credits } = await target.credits(uid)
    note('credits after one call', '99', String(credits))
    mcp.says('Works.')
  },
})

function readTools(shown: unknown): readonly { readonly [name: string]: unknown }[] {
  const tools: unknown = Reflect.get(Object(shown), 'tools')
  return Array.isArray(tools) ? tools.filter(isJsonObject) : []
}

const OF_OTHERS = probingAttack({
  name: 'upstream-results-of-others',
  tried: "another user's kept result, by its link, by parts of it and by paths",
  // The functions here have no bucket that keeps results.
  on: TWIN,
  probe: async (target, note) => {
    const { there } = target.upstreams
    const [owner, thief] = [await target.user(), await target.user()]
    const config = { endpoint: `${there.url}/works`, method: 'GET', response: { keep: 'always' } }
    const name = await freshSkill(target, config)
    const call = toRequest('tools/call', { name, arguments: {} })
    const kept = await postMcp(target, owner.key, call)
    const uri = /skillgate:\/\/results\/[A-Za-z0-9_-]+/.exec(kept.text)?.[0] ?? 'none'
    const read = async (key: string, asked: string) => {
      const tool = { name: 'sg_read_result', arguments: { uri: asked } }
      const byTool = await postMcp(target, key, toRequest('tools/call', tool))
      const byUri = await postMcp(target, key, toRequest('resources/read', { uri: asked }))
      const shows = ({ text }: { readonly text: string }) => text.includes('\\"ok\\"')
      return `${shows(byTool)} ${shows(byUri)}`
    }
    note('its owner', 'true true', await read(owner.key, uri))
    note('another user', 'false false', await read(thief.key, uri))
    const id = uri.replace('skillgate://results/', '')
    for (const path of [
      `../${owner.uid}/${id}`,
      `%2e%2e/${id}`,
      `${id}/`,
      `${id}?uid=${owner.uid}`,
      '',
    ]) {
      note(path, 'false false', await read(thief.key, `skillgate://results/${path}`))
    }
  },
})

/** Names that would lead Invoke elsewhere. */
const FUNCTIONS = [
  '../2015-03-31/functions',
  'a/../b',
  'a b',
  'a?Qualifier=x',
  'arn:aws:lambda:eu-west-1:123456789012:function:a/b',
  'arn:aws:lambda:evil.example/:123456789012:function:a',
  'https://lambda.example/',
  '',
]

const LAMBDA_NAMES = probingAttack({
  name: 'upstream-functions',
  tried: `names of functions that are paths or hosts: ${FUNCTIONS.length} of them`,
  on: EVERYWHERE,
  probe: async (target, note) => {
    for (const name of FUNCTIONS) {
      const id = `sg_${freshId()}`
      const meta = { name: id, description: 'A function.', parameters: { type: 'object' } }
      const config = { lambda: { function: name } }
      const body = { id, source: 'official', meta, config, credits_per_call: 1 }
      const { status } = await target.ask('POST', 'sync_skill', body)
      note(JSON.stringify(name), '422', String(status))
    }
  },
})

export const UPSTREAM_ATTACKS = [
  HOSTILE_LISTS,
  HOSTILE_CALLS,
  ECHOED,
  SHIFTY,
  OF_OTHERS,
  LAMBDA_NAMES,
]
