/**
 * The `awslambda` global that AWS's Node runtime has and ministack's runner lacks, preloaded by
 * start-ministack.sh. A streamed answer is collected and given back whole, with its prelude in front,
 * which is the form that ministack's function URLs understand. It streams nothing.
 */
const { PassThrough } = require('node:stream')
const { once } = require('node:events')

const PRELUDE_END = '\0'.repeat(8)

async function collect(handler, event, context) {
  const stream = new PassThrough()
  const chunks = []
  stream.setContentType = () => {}
  stream.on('data', (chunk) => chunks.push(chunk))
  const ended = once(stream, 'end')
  // The answer is given when the stream ends; what goes on after it does so unobserved, as on AWS.
  const work = handler(event, stream, context)
  await Promise.race([ended, work.then(() => ended)])
  work.catch((error) => process.stderr.write(`${error?.stack ?? error}\n`))
  const body = Buffer.concat(chunks).toString('utf8')
  return stream.prelude === undefined
    ? body
    : `${JSON.stringify(stream.prelude)}${PRELUDE_END}${body}`
}

globalThis.awslambda = {
  streamifyResponse: (handler) => (event, context) => collect(handler, event, context),
  HttpResponseStream: {
    from: (stream, prelude) => Object.assign(stream, { prelude }),
  },
}
