/** Resources and prompts of an MCP server over HTTP+SSE: the official client, the twin, a server of the SDK. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolServer, type ToolServer, toolOf } from '../core/flow/upstreams/tool-server.ts'
import { connectAgent } from './agent.ts'
import { startTwin, type Twin } from './twin.ts'
import { runAtTwin } from './twin-shell.ts'

const README = 'file:///docs/readme.md'
const HERE = `skillgate://upstreams/files/${README}`

let server: ToolServer
let twin: Twin
let home = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-sse-reads-'))
  server = await startToolServer([toolOf('read')])
  server.held = {
    resources: [{ uri: README, name: 'readme' }],
    prompts: [{ name: 'sum up' }],
    contents: { [README]: { contents: [{ uri: README, text: '# Hello' }] } },
    prompt: { messages: [{ role: 'user', content: { type: 'text', text: 'Sum up.' } }] },
  }
  twin = await startTwin(['--memory', '--outbound-allow', new URL(server.url).host])
  const put = `upstreams put files --url ${server.url} --resources yes --yes`
  expect((await runAtTwin(twin, home, put)).code).toBe(0)
})
afterAll(async () => {
  await twin?.stop()
  server?.close()
  rmSync(home, { recursive: true, force: true })
})

test('the official client lists and reads over HTTP+SSE what a server holds beside tools', async () => {
  const { client, close } = await connectAgent(twin.sse, twin.key)
  const { resources } = await client.listResources()
  expect(resources).toContainEqual({ uri: HERE, name: 'readme' })
  expect(await client.readResource({ uri: HERE })).toMatchObject({
    contents: [{ uri: HERE, text: '# Hello' }],
  })
  const { prompts } = await client.listPrompts()
  expect(prompts.map(({ name }) => name)).toContain('files_sum_up')
  expect(await client.getPrompt({ name: 'files_sum_up' })).toMatchObject({
    messages: [{ role: 'user', content: { type: 'text', text: 'Sum up.' } }],
  })
  await close()
})
