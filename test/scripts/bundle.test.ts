/**
 * The promises of bundling: the environment's credentials, and none of the SDK's search
 * for others.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../adapters/config/version.ts'
import { SETTINGS } from '../../core/settings/table.ts'
import { listStartFiles } from '../../lib/bundle/join-start.ts'
import { BUNDLE_OPTIONS } from '../../lib/bundle/options.ts'
import { closePort, openPort } from '../../local/http/listen.ts'
import { bundleDoor } from '../../scripts/bundle.ts'

const REPO = join(import.meta.dirname, '../..')

/** Both clients as the functions create them; prints errors on stdout. */
const ENTRY = `
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import { dynamoClient } from './adapters/dynamodb/client/client.ts'
import { makeSecretsClient } from './adapters/secrets/client.ts'
try {
  await dynamoClient({}).send(new ListTablesCommand({}))
  await makeSecretsClient().send(new GetSecretValueCommand({ SecretId: 'x' }))
} catch (cause) {
  process.stdout.write(cause.message)
}
process.exit(0)`

const folder = mkdtempSync(join(tmpdir(), 'skillgate-bundle-'))
const outfile = join(folder, 'index.mjs')
const asked: IncomingHttpHeaders[] = []
const server = createServer((request, response) => {
  asked.push(request.headers)
  request.resume().on('end', () => response.end('{}'))
})
let endpoint: string
let inputs: readonly string[]

beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await openPort(server, { host: '127.0.0.1', port: 0 })}`
  const stdin = { contents: ENTRY, resolveDir: REPO }
  const { metafile } = await build({ ...BUNDLE_OPTIONS, stdin, outfile })
  inputs = Object.keys(metafile.inputs)
})
afterAll(async () => {
  await closePort(server)
  rmSync(folder, { recursive: true })
})

/** Returns the printed text. Sets only these variables, as on a bare machine. */
function runWith(env: Record<string, string>): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [outfile], {
    env: { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: endpoint, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(text))
  })
}

describe('a bundle', () => {
  test('signs with the credentials of its environment', async () => {
    asked.length = 0
    const output = await runWith({
      AWS_ACCESS_KEY_ID: 'ASIAFROMTHEENVIRONMENT',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token-of-the-role',
    })
    expect(output).toBe('')
    expect(asked).toHaveLength(2)
    for (const headers of asked) {
      expect(headers.authorization).toContain('Credential=ASIAFROMTHEENVIRONMENT/')
      expect(headers['x-amz-security-token']).toBe('token-of-the-role')
    }
  })

  test('names missing credentials, and searches nowhere else', async () => {
    asked.length = 0
    expect((await runWith({})).split('\n')).toEqual([
      'The environment does not fit:',
      '  AWS_ACCESS_KEY_ID: is missing; give the secret',
      '  AWS_SECRET_ACCESS_KEY: is missing; give the secret',
    ])
    expect(asked).toEqual([])
  })

  test('holds no other way to credentials', () => {
    expect(inputs).toContain('adapters/config/env-credentials.ts')
    const others = /credential-provider|nested-clients|token-providers/
    expect(inputs.filter((path) => others.test(path))).toEqual([])
  })
})

describe('a bundled door', () => {
  /** Each is bundled once. */
  const bundles = new Map<string, ReturnType<typeof bundleDoor>>()

  function bundleOf(door: string): ReturnType<typeof bundleDoor> {
    const bundle = bundles.get(door) ?? bundleDoor(`lambdas/${door}/handler.ts`)
    bundles.set(door, bundle)
    return bundle
  }

  async function filesOf(door: string) {
    const { metafile, outputFiles } = await bundleOf(door)
    const code = outputFiles.filter(({ path }) => path.endsWith('.mjs'))
    const index = Object.entries(metafile.outputs).find(([path]) => path.endsWith('/index.mjs'))
    const imports = (kind: string) =>
      (index?.[1].imports ?? [])
        .filter((one) => one.kind === kind && one.external !== true)
        .map(({ path }) => basename(path))
    return {
      names: code.map(({ path }) => basename(path)).sort(),
      atStart: imports('import-statement'),
      later: imports('dynamic-import'),
      text: (name: string) => code.find(({ path }) => basename(path) === name)?.text ?? '',
    }
  }

  test('has the ranges of settings, and no sentence about them', async () => {
    const { names, text } = await filesOf('messages')
    const code = names.map(text).join('\n')
    expect(code).toContain('HOLDS_MAX')
    expect(code).not.toContain(SETTINGS.holdsMax.says)
    expect(code).not.toContain('says:')
  })

  test('has the version of each package.json, and nothing else of that file', async () => {
    const { names, text } = await filesOf('messages')
    const code = names.map(text).join('\n')
    expect(code.includes(`{version:"${VERSION}"}`)).toBe(true)
    expect(code.includes('devDependencies')).toBe(false)
  })

  test('names its map in no file', async () => {
    const { names, text } = await filesOf('messages')
    expect(text('index.mjs').length).toBeGreaterThan(50_000)
    for (const name of names) expect(text(name)).not.toContain('sourceMappingURL')
  })

  test.each(['sse', 'messages', 'mcp', 'execute', 'sweep'])(
    'a start of the door %s opens no DynamoDB client of the SDK, which lies in a file beside it',
    async (door) => {
      const { metafile } = await bundleOf(door)
      const filesWith = (module: RegExp) =>
        Object.entries(metafile.outputs).flatMap(([file, { inputs }]) =>
          Object.entries(inputs).some(([path, used]) => used.bytesInOutput > 0 && module.test(path))
            ? [file]
            : [],
        )
      const holding = filesWith(/@aws-sdk\/(client-dynamodb|lib-dynamodb|dynamodb-codec)\//)
      const atStart = listStartFiles(metafile.outputs)
      expect(holding.filter((file) => atStart.includes(file))).toEqual([])
      expect(holding.some((file) => file.includes('sdk-client'))).toBe(true)
      // Records ask whether a number is one of this class, whichever client has read it.
      const numbers = filesWith(/util-dynamodb\/dist-es\/NumberValue\.js$/)
      expect(numbers.filter((file) => !file.includes('sdk-parts'))).toHaveLength(1)
    },
  )

  test.each(['sse', 'messages', 'mcp', 'execute'])(
    'the door %s imports no module of Node, so a start reads no export that nobody names',
    async (door) => {
      const { metafile, outputFiles } = await bundleOf(door)
      const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
      const imported = imports.filter(
        ({ external, kind }) => external && kind === 'import-statement',
      )
      expect(imported).toEqual([])
      const text = outputFiles.map((file) => file.text).join('\n')
      expect(text).toContain('process.getBuiltinModule("node:crypto")')
    },
  )

  test.each(['sse', 'messages', 'mcp', 'execute', 'sweep', 'admin'])(
    'a start of the door %s opens two files',
    async (door) => {
      const { atStart, later } = await filesOf(door)
      expect(atStart).toEqual(['start.mjs'])
      expect(later).not.toEqual([])
    },
  )

  test('a file that a door loads later takes what it shares with the start from the start', async () => {
    const { later, text } = await filesOf('mcp')
    const listening = later.find((name) => name.startsWith('listen-')) ?? ''
    expect(text(listening)).toContain('from"./start.mjs"')
    expect(text(listening).length).toBeLessThan(10_000)
  })

  test.each(['sse', 'mcp'])(
    'no file of the door %s imports its index.mjs, which may be waiting for that file',
    async (door) => {
      const { names, text } = await filesOf(door)
      for (const name of names) expect(text(name)).not.toContain('./index.mjs')
    },
  )

  test('the files of the thread that converts HTML take nothing from the start', async () => {
    const { names, text } = await filesOf('execute')
    const thread = names.filter((name) => /^(convert-html|markdown)-/.test(name))
    expect(thread).toHaveLength(2)
    for (const name of thread) expect(text(name)).not.toContain('start.mjs')
  })

  test('names of Node’s modules only what it uses', async () => {
    const { text } = await filesOf('sse')
    expect(text('index.mjs')).not.toContain('WebSocket')
    expect(text('index.mjs')).not.toContain('rootCertificates')
  })

  test('the door sse has the tail of the stream in a file that only a start with that setting opens', async () => {
    const { names, atStart, later, text } = await filesOf('sse')
    const holding = names.filter((name) => text(name).includes('GetShardIterator'))
    expect(holding).toHaveLength(1)
    expect(later).toContain(holding[0])
    for (const name of atStart) expect(text(name)).not.toContain(holding[0])
  })
})
