/**
 * Claude Code between a stand-in for its model and a twin, whose one skill may go on as a task. Notes every
 * request on both sides, so that a check waits for one and not for a time.
 */

import { startKeyProxy } from '../conformance/key-proxy.ts'
import { pushSkill } from '../e2e/admin.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { untilTrue } from '../e2e/wait.ts'
import { startLocalServer } from '../lambda/local-server.ts'
import { type ClaudeTerminal, startClaude } from './claude-terminal.ts'
import { withHome } from './home.ts'
import { type Reply, startModel, type Turn } from './model.ts'

/** Ends a wait for what never comes; a run that passes takes 10 s in all. */
const WAIT_MS_MAX = 60_000
/** The most turns in which Claude Code may not have listed the gateway's tools yet. */
const EARLY_TURNS_MAX = 20
/** The most characters that a failure shows of what the model heard, and of the terminal. */
const HEARD_CHARS_MAX = 1_500
const SCREEN_CHARS_MAX = 600

export const PRICE = 3
/** What the upstream answers. */
export const FILM = 'kingfisher-4711'
/** The id of the model's request for the tool. */
export const TOOL_USE_ID = 'toolu_film'

type McpRequest = { readonly method: string; readonly name: string; isAnswered: boolean }

/** What has happened so far. */
export type Seen = { readonly requests: readonly McpRequest[]; readonly turns: readonly Turn[] }

type Scene = {
  /** The upstream answers once this holds. */
  mayAnswer(seen: Seen): boolean
  /** What the model says to a turn, after it has asked for the tool once. */
  reply(turn: Turn): Reply
}

export type Stage = Seen & {
  readonly twin: Twin
  /** Rejects after a minute, or when Claude Code ends, with `what` and all that has happened. */
  wait(what: string, holds: () => boolean): Promise<void>
  /** Ends Claude Code, as closing its terminal does. */
  close(): Promise<void>
}

/** Runs Claude Code with its prompt; all that was started is stopped when `run` has ended. */
export async function withStage<T>(
  programs: string,
  scene: Scene,
  run: (stage: Stage) => Promise<T>,
): Promise<T> {
  const requests: McpRequest[] = []
  const turns: Turn[] = []
  const seen: Seen = { requests, turns }
  const parts: { stop(): Promise<unknown> }[] = []
  const add = <P extends { stop(): Promise<unknown> }>(part: P): P => {
    parts.unshift(part)
    return part
  }
  try {
    const upstream = add(await startUpstream(() => scene.mayAnswer(seen)))
    const twin = add(await startTwin(['--memory', '--outbound-allow', upstream.host]))
    const tool = `mcp__skillgate__${await pushFilmSkill(twin, upstream.url)}`
    const gateway = add(await startWatchedGateway(twin, requests))
    const model = add(await startModel(makeReplies(tool, scene, requests, turns)))
    const start = { mcp: `${gateway.url}/mcp`, model: model.url, allowed: [tool, 'TaskStop'] }
    return await withHome(programs, async (home) => {
      const claude = startClaude(home, { ...start, prompt: 'Render the film.' })
      const wait = (what: string, holds: () => boolean) => waitFor(what, holds, claude, seen)
      try {
        return await run({ ...seen, twin, wait, close: claude.stop })
      } finally {
        await claude.stop()
      }
    })
  } finally {
    for (const part of parts) await part.stop()
  }
}

function startUpstream(mayAnswer: () => boolean) {
  return startLocalServer((_request, response) => {
    const answer = () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ film: FILM }))
    }
    // A caller that has gone needs no answer.
    untilTrue(() => response.destroyed || mayAnswer(), WAIT_MS_MAX).then(answer, () =>
      response.destroy(),
    )
  })
}

function pushFilmSkill(twin: Twin, upstream: string): Promise<string> {
  const config = { endpoint: `${upstream}/film`, method: 'POST', task: { max_sec: 120 } }
  return pushSkill(twin, { id: 'render_film', price: PRICE, config })
}

function startWatchedGateway(twin: Twin, requests: McpRequest[]) {
  return startKeyProxy({
    gateway: twin.url,
    key: twin.key,
    watch: ({ headers }, response) => {
      const method = String(headers['mcp-method'])
      const request = { method, name: String(headers['mcp-name']), isAnswered: false }
      requests.push(request)
      response.once('finish', () => {
        request.isAnswered = true
      })
    },
  })
}

/**
 * Claude Code connects to servers while it asks the model for the first time. Until a turn lists the tool,
 * the model reads a file that is not there, which needs no permission.
 */
function makeReplies(
  tool: string,
  scene: Scene,
  requests: readonly McpRequest[],
  turns: Turn[],
): (turn: Turn) => Promise<Reply> {
  let isCalled = false
  return async (turn) => {
    if (turn.tools.length === 0) return { text: 'Nothing.' }
    turns.push(turn)
    if (isCalled) return scene.reply(turn)
    if (turn.tools.includes(tool)) {
      isCalled = true
      return { call: { id: TOOL_USE_ID, name: tool, input: {} } }
    }
    if (turns.length > EARLY_TURNS_MAX)
      throw new Error(`${tool} is in none of ${turns.length} turns`)
    const isListed = () => requests.some((one) => one.method === 'tools/list' && one.isAnswered)
    await untilTrue(isListed, WAIT_MS_MAX)
    const id = `toolu_early_${turns.length}`
    return { call: { id, name: 'Read', input: { file_path: 'film.txt' } } }
  }
}

async function waitFor(
  what: string,
  holds: () => boolean,
  claude: ClaudeTerminal,
  { requests, turns }: Seen,
): Promise<void> {
  try {
    await untilTrue(() => {
      const ended = claude.ended()
      if (ended !== undefined) throw new Error(ended)
      return holds()
    }, WAIT_MS_MAX)
  } catch (cause) {
    const asked = requests.map(({ method }) => method).join(', ')
    const screen = claude.screen().replaceAll(/\s+/g, ' ').slice(-SCREEN_CHARS_MAX)
    throw new Error(
      `${what}: ${cause instanceof Error ? cause.message : cause}. Requests to the gateway: ${asked || 'none'}. ` +
        `The model was last told: ${turns.at(-1)?.heard.slice(0, HEARD_CHARS_MAX) ?? 'nothing'}. The terminal ends with: ${screen}`,
      { cause },
    )
  }
}
