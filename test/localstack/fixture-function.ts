/** Makes a Lambda function of one file in an emulator, for skills that invoke functions. */
import { crc32 } from 'node:zlib'
import { ACCOUNT } from './credentials.ts'
import { unsignedFor } from './emulator-http.ts'

/** Answers its ARN. `code`: an ES module that exports `handler`. Resolves when it can be invoked. */
export async function createFixtureFunction(
  endpoint: string,
  name: string,
  code: string,
): Promise<string> {
  const headers = { ...unsignedFor('lambda'), 'content-type': 'application/json' }
  const body = JSON.stringify({
    FunctionName: name,
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Role: `arn:aws:iam::${ACCOUNT}:role/fixture`,
    Timeout: 20,
    Code: { ZipFile: zipOf('index.mjs', code).toString('base64') },
  })
  const url = `${endpoint}/2015-03-31/functions`
  const made = await fetch(url, { method: 'POST', headers, body })
  const created = await made.json()
  if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(created)}`)
  await untilActive(`${url}/${name}/configuration`, headers)
  return String(Reflect.get(Object(created), 'FunctionArn'))
}

/** Emulators make a function in the background, as AWS does. */
async function untilActive(url: string, headers: Record<string, string>): Promise<void> {
  for (let asked = 0; asked < 100; asked += 1) {
    const answer = await fetch(url, { headers })
    const state: unknown = Reflect.get(Object(await answer.json()), 'State')
    if (state === 'Active' || state === undefined) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`${url} did not become active`)
}

/** An archive of one file that is stored as it is (APPNOTE.TXT of PKWARE, 4.3). */
function zipOf(name: string, text: string): Buffer {
  const content = Buffer.from(text)
  const path = Buffer.from(name)
  // Version 2.0, no flags, stored, midnight of 1980-01-01.
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(0x21, 8)
  common.writeUInt32LE(crc32(content), 10)
  common.writeUInt32LE(content.length, 14)
  common.writeUInt32LE(content.length, 18)
  common.writeUInt16LE(path.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, content])
  const more = Buffer.alloc(14)
  // Readable by everyone, which the runtime needs.
  more.writeUInt32LE((0o100644 << 16) >>> 0, 6)
  const made = Buffer.from([20, 3])
  const central = Buffer.concat([Buffer.from('PK\x01\x02'), made, common, more, path])
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(local.length, 12)
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end])
}
