/** Kill tests of calls on a stream, on the embedded DynamoDB's file. */
import { killSuite } from './suite.ts'

killSuite('dynamodb', /^SSE/)
