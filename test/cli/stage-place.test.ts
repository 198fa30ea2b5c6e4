/**
 * Commands about a deployed stage, where skillgate.config.json says its account and region: they ask
 * that region, and nothing of another account. A server on this machine answers as STS does, and
 * refuses everything else.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runLine } from './test-shell.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const STAGE = { like: 'prod', account: '111111111111', region: 'eu-west-1' }
const COMMANDS = [
  'rollback',
  'edge rotate',
  'advise capacity',
  'restore --table gateway --to 2026-11-23T22:00:00Z --dry-run',
]

let server: Server
let folder = ''
let account = ''
/** Regions and services, as requests are signed. */
let asked: string[] = []

beforeEach(async () => {
  Object.assign(process.env, CREDENTIALS)
  asked = []
  account = STAGE.account
  folder = mkdtempSync(join(tmpdir(), 'skillgate-place-'))
  const stages = { shop: { ...STAGE, alarmEmail: 'none' } }
  writeFileSync(join(folder, 'skillgate.config.json'), JSON.stringify({ stages }))
  server = createServer((request, response) => {
    const [, region, service] =
      /Credential=\w+\/\d{8}\/([\w-]+)\/([\w-]+)\//.exec(request.headers.authorization ?? '') ?? []
    asked.push(`${region} ${service}`)
    const isCaller = service === 'sts'
    response
      .writeHead(isCaller ? 200 : 400)
      .end(
        isCaller
          ? `<Arn>arn:aws:iam::${account}:user/ada</Arn><Account>${account}</Account>`
          : '{}',
      )
    request.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
  for (const name of Object.keys(CREDENTIALS)) delete process.env[name]
})

function run(command: string, stage = 'shop') {
  const { port } = server.address() as AddressInfo
  const env = { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, AWS_REGION: 'us-east-1' }
  return runLine([...command.split(' '), '--stage', stage], { cwd: folder, env })
}

test.each(COMMANDS)('%s asks the region of the stage, not that of the shell', async (command) => {
  const { code } = await run(command)
  expect(code).toBe(1)
  expect(asked.filter((one) => !one.endsWith(' sts')).length).toBeGreaterThan(0)
  expect(asked.filter((one) => !one.startsWith('eu-west-1 '))).toEqual([])
})

test.each(COMMANDS)('%s asks nothing with credentials of another account', async (command) => {
  account = '222222222222'
  const { code, err } = await run(command)
  expect(code).toBe(1)
  expect(err).toContain(
    'account: stage shop is for 111111111111, and these credentials are of 222222222222; sign in to that account, or change account in skillgate.config.json',
  )
  expect(asked).toEqual(['eu-west-1 sts'])
})

test.each(COMMANDS)('%s refuses a stage that the file does not have', async (command) => {
  const { code, err } = await run(command, 'shap')
  expect([code, asked]).toEqual([2, []])
  expect(err).toContain('did you mean shop?')
})
