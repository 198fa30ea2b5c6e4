// A streaming handler with one behaviour per path, to show what the harness and the runtime do.
// GATE_URL: see gate.ts. It uses what the runtime client puts on globalThis.awslambda.

const { streamifyResponse, HttpResponseStream } = globalThis.awslambda

const step = (name) => fetch(`${process.env.GATE_URL}/${name}`)
const open = (stream, more = {}) => HttpResponseStream.from(stream, { statusCode: 200, ...more })

const behaviours = {
  async '/chunks'(_event, stream) {
    const headers = { 'Content-Type': 'text/event-stream', 'WWW-Authenticate': 'Bearer' }
    const out = open(stream, { headers, cookies: ['a=1; Path=/', 'b=2'] })
    out.write('first\n')
    await step('second')
    out.write('second\n')
    await step('third')
    out.write('third\n')
    out.end()
  },
  async '/late-work'(_event, stream) {
    const out = open(stream, { statusCode: 202 })
    out.write('')
    out.end()
    await step('work')
    process.stdout.write('work is over\n')
  },
  async '/late-failure'(_event, stream) {
    const out = open(stream, { statusCode: 202 })
    out.write('')
    out.end()
    await step('late-failure')
    throw new Error('failed after the response')
  },
  async '/fail-first'() {
    throw new RangeError('failed before the first byte')
  },
  async '/fail-midway'(_event, stream) {
    open(stream).write('half')
    await step('half')
    throw new TypeError('failed on the way')
  },
  async '/end-only'(_event, stream) {
    open(stream, { statusCode: 202 }).end('lost')
  },
  async '/no-prelude'(_event, stream) {
    stream.write('bare')
    stream.end()
  },
  async '/exit'(_event, stream) {
    open(stream).write('half')
    await step('exit')
    process.exit(3)
  },
  async '/hang'(_event, stream) {
    open(stream).write('half')
    await step('never')
  },
  async '/large'(_event, stream) {
    const out = open(stream)
    for (let i = 0; i < 50; i += 1) {
      if (!out.write(Buffer.alloc(200_000, i))) await new Promise((go) => out.once('drain', go))
    }
    out.end()
  },
}

export const handler = streamifyResponse(async (event, stream, context) => {
  await behaviours[event.rawPath ?? event.path](event, stream, context)
})
