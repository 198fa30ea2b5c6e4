/** Kill tests of REST calls on the embedded DynamoDB's file. */
import { killSuite } from './suite.ts'

killSuite('dynamodb', /^REST/)
