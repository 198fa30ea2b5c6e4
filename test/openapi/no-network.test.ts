/** An import reaches nothing outside itself: in a process that Node keeps from the network, files and programs. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const REPO = join(import.meta.dirname, '../..')
const WORKER = join(import.meta.dirname, 'locked-import.ts')
const RUN_MS_MAX = 60_000

test(
  'plans of documents that refer to URLs and files open no connection, no file and no program',
  async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(String(request.url))
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/other.json`
    try {
      const told = JSON.parse(await output(JSON.stringify({ url, port })))
      const outside = 'invalid_arguments'
      expect(told).toEqual({
        outcomes: [
          'planned',
          outside,
          outside,
          outside,
          'planned',
          outside,
          'planned',
          outside,
          // A tag that YAML does not know is left out: its text stays a text.
          'planned',
          'planned',
        ],
        tried: [],
      })
      expect(asked).toEqual([])
    } finally {
      server.close()
    }
  },
  RUN_MS_MAX,
)

/** Node's own permissions stop files outside the repository, programs and workers. */
function output(argument: string): Promise<string> {
  const flags = ['--permission', `--allow-fs-read=${REPO}`, '--no-warnings']
  const child = spawn(process.execPath, [...flags, WORKER, argument], { timeout: RUN_MS_MAX })
  let [text, errors] = ['', '']
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => {
      if (status === 0) resolve(text)
      else reject(new Error(errors.slice(-2_000)))
    })
  })
}
