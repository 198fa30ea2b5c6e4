// A KMS of its own for one test: one key, and the two actions that users' secrets need. Speaks the
// service's JSON over HTTP on 127.0.0.1, checks no signature.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { closePort, openPort } from '../../../local/http/listen.ts'
import { type KmsContext, unwrap, wrap } from './wrapped-key.ts'

export type KmsServer = {
  /** For `AWS_ENDPOINT_URL_KMS`. */
  readonly endpoint: string
  readonly keyId: string
  /** The requests so far, in order. */
  readonly asked: KmsRequest[]
  /** While set, every request fails with this exception of KMS; '': the connection breaks off. */
  failWith: string | undefined
  stop(): Promise<void>
}

export type KmsRequest = { readonly action: string; readonly context: KmsContext }

type Input = {
  readonly KeyId: string
  readonly EncryptionContext?: KmsContext
  /** Base64. */
  readonly CiphertextBlob?: string
}
type Answer = { readonly [name: string]: string }

const DATA_KEY_BYTES = 32

export async function startKmsServer(): Promise<KmsServer> {
  const key = randomBytes(DATA_KEY_BYTES)
  const server = createServer(async (request, response) => {
    const { action, input } = await read(request)
    kms.asked.push({ action, context: input.EncryptionContext ?? {} })
    if (kms.failWith === '') return void request.socket.destroy()
    const answer = kms.failWith ?? answerTo(key, kms.keyId, action, input)
    response.writeHead(typeof answer === 'string' ? 400 : 200, {
      'content-type': 'application/x-amz-json-1.1',
    })
    response.end(JSON.stringify(typeof answer === 'string' ? { __type: answer } : answer))
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  const kms: KmsServer = {
    endpoint: `http://127.0.0.1:${port}`,
    keyId: 'arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555',
    asked: [],
    failWith: undefined,
    stop: () => closePort(server),
  }
  return kms
}

async function read(request: IncomingMessage): Promise<{ action: string; input: Input }> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const target = String(request.headers['x-amz-target'])
  return {
    action: target.replace('TrentService.', ''),
    input: JSON.parse(Buffer.concat(chunks).toString()),
  }
}

/** A plaintext key, or the name of an exception. */
function answerTo(key: Buffer, keyId: string, action: string, input: Input): Answer | string {
  const { CiphertextBlob = '', EncryptionContext = {}, KeyId } = input
  if (KeyId !== keyId) return 'NotFoundException'
  switch (action) {
    case 'GenerateDataKey': {
      const plain = randomBytes(DATA_KEY_BYTES)
      const wrapped = wrap(key, plain, EncryptionContext)
      return { KeyId, Plaintext: plain.toString('base64'), CiphertextBlob: base64(wrapped) }
    }
    case 'Decrypt': {
      const plain = unwrap(key, Buffer.from(CiphertextBlob, 'base64'), EncryptionContext)
      return plain === undefined
        ? 'InvalidCiphertextException'
        : { KeyId, Plaintext: base64(plain) }
    }
    default:
      throw new Error(`this KMS does not know ${action}`)
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
