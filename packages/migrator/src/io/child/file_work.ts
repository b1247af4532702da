import { answerFileRequest } from "./file_requests.ts";
import { answerRequests } from "./requests.ts";

/** Entry point of the child process: it answers requests one by one and ends with its parent. */

answerRequests(answerFileRequest);
