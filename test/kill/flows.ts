/**
 * The interrupted calls: each flow drives one call of a user against a twin that is armed to die in
 * it, and returns the answer that the user got before that.
 */
import { request as httpRequest } from 'node:http'
import { fieldsOf, readJsonObject, stringOf } from '../e2e/fields.ts'
import { bearer, type HttpAnswer, postJson } from '../e2e/http.ts'
import { openRawSession } from '../e2e/raw-session.ts'
import type { SkillId } from './skills.ts'
import type { TwinProcess } from './twin-process.ts'
import type { CountingUpstream } from './upstream.ts'

/** The answer that the user got; `nothing` when the connection broke. */
export type ClientNews =
  | 'nothing'
  | 'success'
  /** The code of the problem, or of an error result. */
  | `failed: ${string}`

export type Scene = {
  readonly twin: TwinProcess
  readonly upstream: CountingUpstream
  readonly key: string
  /** Identifies this call, at the upstream too. */
  readonly text: string
  /** Arms the crash point. A flow calls it once it has reached the state that it needs. */
  arm(): Promise<void>
}

export type Flow = (scene: Scene) => Promise<ClientNews>

/** A REST call of this skill, from its first step. */
export function rest(skill: SkillId): Flow {
  return async (scene) => {
    await scene.arm()
    return execute(scene.twin, scene, skill)
  }
}

/** A call of this skill by an agent on a stream. */
export function sse(skill: SkillId): Flow {
  return async (scene) => {
    const session = await openRawSession(scene.twin.sse, scene.key)
    await scene.arm()
    const came = session.message(() => true).then(toldBy, nothing)
    session.post(callText(skill, scene.text)).catch(nothing)
    return Promise.race([came, session.ended.then(() => 'nothing' as const)])
  }
}

/** The agent cancels a call while the upstream works on it. */
export const sseCancelled: Flow = async (scene) => {
  const session = await openRawSession(scene.twin.sse, scene.key)
  await session.post(callText('sg_waits', scene.text))
  await scene.upstream.untilAsked(1, (text) => text === scene.text)
  await scene.arm()
  session.post(CANCEL).catch(nothing)
  await session.ended
  return session.messages.length === 0 ? 'nothing' : 'failed: answered a cancelled call'
}

/** A REST client hangs up while the upstream works. */
export const restGone: Flow = async (scene) => {
  const request = httpRequest(scene.twin.execute, { method: 'POST', headers: headers(scene.key) })
  request.on('error', nothing)
  request.end(JSON.stringify({ skill: 'sg_waits', arguments: { text: scene.text } }))
  await scene.upstream.untilAsked(1, (text) => text === scene.text)
  await scene.arm()
  request.destroy()
  return 'nothing'
}

/**
 * The test kills the twin while the upstream works: there is no crash point, and `arm` does
 * nothing.
 */
export function killedAsTheUpstreamWorks(flow: (skill: SkillId) => Flow): Flow {
  return async (scene) => {
    const answer = flow('sg_waits')(scene)
    await scene.upstream.untilAsked(1, (text) => text === scene.text)
    await scene.twin.kill()
    return answer
  }
}

export async function execute(
  twin: TwinProcess,
  call: { readonly key: string; readonly text: string },
  skill: string,
  more: { readonly [name: string]: string } = {},
): Promise<ClientNews> {
  const body = { skill, arguments: { text: call.text } }
  const sent = postJson(twin.execute, body, { ...bearer(call.key), ...more })
  return sent.then(toldOver, nothing)
}

function toldOver(answer: HttpAnswer): ClientNews {
  if (answer.status === 200) return 'success'
  return `failed: ${stringOf(answer.json(), 'code')}`
}

function toldBy(data: string): ClientNews {
  const message = readJsonObject(data)
  if (!('result' in message)) return 'failed: error'
  return fieldsOf(message, 'result')['isError'] === false ? 'success' : 'failed: error result'
}

const nothing = () => 'nothing' as const

function headers(key: string) {
  return { 'content-type': 'application/json', ...bearer(key) }
}

const CANCEL = JSON.stringify({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: 7 },
})

function callText(skill: SkillId, text: string): string {
  const params = { name: skill, arguments: { text } }
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
}
