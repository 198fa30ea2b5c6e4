import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/**
 * Opens a tail in a process of its own; answers its kind, and whether the streams client was
 * loaded.
 */
async function loadedFor(kind: string): Promise<string> {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    const { openReplyTail } = await import('./adapters/dynamodb/reply-stream/open-reply-tail.ts')
    const store = { clock: {}, tables: {}, onTrouble() {} }
    const kind = { kind: '${kind}', streamArn: 'arn' }
    const reach = { endpoint: 'http://127.0.0.1:1' }
    const { tail, close } = await openReplyTail(kind, { store, leases: {}, log: {}, pace: 'aws', reach })
    close()
    const own = loaded.some((url) => url.includes('client-dynamodb-streams'))
    console.log(tail === undefined ? 'partition' : 'streams', own ? 'loaded' : 'not loaded')
  `
  const args = ['--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.trim()
}

test('the partition tail loads no part of the stream tail, and the stream tail brings its client', async () => {
  expect(await loadedFor('partition')).toBe('partition not loaded')
  expect(await loadedFor('dynamodb-streams')).toBe('streams loaded')
})
