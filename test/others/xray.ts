export { captureAWSv3Client, enableManualMode, Segment, setDaemonAddress } from 'aws-xray-sdk-core';
