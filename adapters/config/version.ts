/** The version that agents and logs see. A test holds it equal to package.json's. */
export const VERSION = '0.1.0'
