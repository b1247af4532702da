// Made from schemas/ by dev/tools/compile_schemas.ts; change those and run `pnpm generate`.
"use strict";
export const validatePatternLibrary = validate20;
const schema31 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:perdura:schema:pattern-library","title":"Pattern library file","description":"The JSON form of a pattern library (specification, section 2.4). Keys that are not named here are ignored.","type":"object","required":["patterns"],"properties":{"patterns":{"type":"array","items":{"$ref":"urn:perdura:schema:pattern"}},"agent_contributions":{"type":["object","null"],"description":"Agent identifier to the identifiers of the patterns that it contributed.","additionalProperties":{"type":"array","items":{"type":"string"}}},"metadata":{"type":["object","null"],"description":"Absent in files older than the format version 1.0.","properties":{"saved_at":{"description":"A note for people. Nothing is read from it, so every value is accepted."},"pattern_count":{"description":"The number of patterns for people. Nothing is read from it, so every value is accepted."},"version":{"type":"string"}}}}};
const schema32 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:perdura:schema:pattern","title":"Pattern","description":"One pattern record (specification, section 2.1). A field that is null and one that is absent mean the same.","type":"object","required":["id","agent_id","pattern_type","name"],"properties":{"id":{"type":"string","pattern":"^[^\\u0000\\ud800-\\udfff]+$","description":"Identifier of the pattern."},"agent_id":{"type":"string","pattern":"^[^\\u0000\\ud800-\\udfff]+$","description":"Identifier of the agent that owns the pattern."},"pattern_type":{"type":"string","description":"Category of the pattern."},"name":{"type":"string"},"description":{"type":["string","null"]},"context":{"type":["object","null"]},"code":{"type":["string","null"]},"confidence":{"type":["number","null"],"default":0.5},"usage_count":{"type":["integer","null"],"minimum":-9007199254740991,"maximum":9007199254740991,"default":0},"success_count":{"type":["integer","null"],"minimum":-9007199254740991,"maximum":9007199254740991,"default":0},"failure_count":{"type":["integer","null"],"minimum":-9007199254740991,"maximum":9007199254740991,"default":0},"tags":{"type":["array","null"],"items":{"type":"string"}},"discovered_at":{"type":["string","null"],"pattern":"^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$","description":"Zone-less ISO 8601, up to six fractional digits."},"last_used":{"type":["string","null"],"pattern":"^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"}}};
const pattern4 = new RegExp("^[^\\u0000\\ud800-\\udfff]+$", "u");
const pattern6 = new RegExp("^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$", "u");

function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:perdura:schema:pattern-library" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate20.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.patterns === undefined) && (missing0 = "patterns")){
validate20.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.patterns !== undefined){
let data0 = data.patterns;
const _errs1 = errors;
if(errors === _errs1){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
const _errs3 = errors;
const _errs4 = errors;
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing1;
if(((((data1.id === undefined) && (missing1 = "id")) || ((data1.agent_id === undefined) && (missing1 = "agent_id"))) || ((data1.pattern_type === undefined) && (missing1 = "pattern_type"))) || ((data1.name === undefined) && (missing1 = "name"))){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0,schemaPath:"urn:perdura:schema:pattern/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data1.id !== undefined){
let data2 = data1.id;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data2 === "string"){
if(!pattern4.test(data2)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/id",schemaPath:"urn:perdura:schema:pattern/properties/id/pattern",keyword:"pattern",params:{pattern: "^[^\\u0000\\ud800-\\udfff]+$"},message:"must match pattern \""+"^[^\\u0000\\ud800-\\udfff]+$"+"\""}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/id",schemaPath:"urn:perdura:schema:pattern/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid3 = _errs6 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.agent_id !== undefined){
let data3 = data1.agent_id;
const _errs8 = errors;
if(errors === _errs8){
if(typeof data3 === "string"){
if(!pattern4.test(data3)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/agent_id",schemaPath:"urn:perdura:schema:pattern/properties/agent_id/pattern",keyword:"pattern",params:{pattern: "^[^\\u0000\\ud800-\\udfff]+$"},message:"must match pattern \""+"^[^\\u0000\\ud800-\\udfff]+$"+"\""}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/agent_id",schemaPath:"urn:perdura:schema:pattern/properties/agent_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid3 = _errs8 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.pattern_type !== undefined){
const _errs10 = errors;
if(typeof data1.pattern_type !== "string"){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/pattern_type",schemaPath:"urn:perdura:schema:pattern/properties/pattern_type/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs10 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.name !== undefined){
const _errs12 = errors;
if(typeof data1.name !== "string"){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/name",schemaPath:"urn:perdura:schema:pattern/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs12 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.description !== undefined){
let data6 = data1.description;
const _errs14 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/description",schemaPath:"urn:perdura:schema:pattern/properties/description/type",keyword:"type",params:{type: schema32.properties.description.type},message:"must be string,null"}];
return false;
}
var valid3 = _errs14 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.context !== undefined){
let data7 = data1.context;
const _errs16 = errors;
if((!(data7 && typeof data7 == "object" && !Array.isArray(data7))) && (data7 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/context",schemaPath:"urn:perdura:schema:pattern/properties/context/type",keyword:"type",params:{type: schema32.properties.context.type},message:"must be object,null"}];
return false;
}
var valid3 = _errs16 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.code !== undefined){
let data8 = data1.code;
const _errs18 = errors;
if((typeof data8 !== "string") && (data8 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/code",schemaPath:"urn:perdura:schema:pattern/properties/code/type",keyword:"type",params:{type: schema32.properties.code.type},message:"must be string,null"}];
return false;
}
var valid3 = _errs18 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.confidence !== undefined){
let data9 = data1.confidence;
const _errs20 = errors;
if((!((typeof data9 == "number") && (isFinite(data9)))) && (data9 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/confidence",schemaPath:"urn:perdura:schema:pattern/properties/confidence/type",keyword:"type",params:{type: schema32.properties.confidence.type},message:"must be number,null"}];
return false;
}
var valid3 = _errs20 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.usage_count !== undefined){
let data10 = data1.usage_count;
const _errs22 = errors;
if((!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))) && (data10 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/usage_count",schemaPath:"urn:perdura:schema:pattern/properties/usage_count/type",keyword:"type",params:{type: schema32.properties.usage_count.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs22){
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 9007199254740991 || isNaN(data10)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/usage_count",schemaPath:"urn:perdura:schema:pattern/properties/usage_count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data10 < -9007199254740991 || isNaN(data10)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/usage_count",schemaPath:"urn:perdura:schema:pattern/properties/usage_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"}];
return false;
}
}
}
}
var valid3 = _errs22 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.success_count !== undefined){
let data11 = data1.success_count;
const _errs24 = errors;
if((!(((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11))) && (isFinite(data11)))) && (data11 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/success_count",schemaPath:"urn:perdura:schema:pattern/properties/success_count/type",keyword:"type",params:{type: schema32.properties.success_count.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs24){
if((typeof data11 == "number") && (isFinite(data11))){
if(data11 > 9007199254740991 || isNaN(data11)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/success_count",schemaPath:"urn:perdura:schema:pattern/properties/success_count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data11 < -9007199254740991 || isNaN(data11)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/success_count",schemaPath:"urn:perdura:schema:pattern/properties/success_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"}];
return false;
}
}
}
}
var valid3 = _errs24 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.failure_count !== undefined){
let data12 = data1.failure_count;
const _errs26 = errors;
if((!(((typeof data12 == "number") && (!(data12 % 1) && !isNaN(data12))) && (isFinite(data12)))) && (data12 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/failure_count",schemaPath:"urn:perdura:schema:pattern/properties/failure_count/type",keyword:"type",params:{type: schema32.properties.failure_count.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs26){
if((typeof data12 == "number") && (isFinite(data12))){
if(data12 > 9007199254740991 || isNaN(data12)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/failure_count",schemaPath:"urn:perdura:schema:pattern/properties/failure_count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data12 < -9007199254740991 || isNaN(data12)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/failure_count",schemaPath:"urn:perdura:schema:pattern/properties/failure_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"}];
return false;
}
}
}
}
var valid3 = _errs26 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.tags !== undefined){
let data13 = data1.tags;
const _errs28 = errors;
if((!(Array.isArray(data13))) && (data13 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/tags",schemaPath:"urn:perdura:schema:pattern/properties/tags/type",keyword:"type",params:{type: schema32.properties.tags.type},message:"must be array,null"}];
return false;
}
if(errors === _errs28){
if(Array.isArray(data13)){
var valid4 = true;
const len1 = data13.length;
for(let i1=0; i1<len1; i1++){
const _errs30 = errors;
if(typeof data13[i1] !== "string"){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/tags/" + i1,schemaPath:"urn:perdura:schema:pattern/properties/tags/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs30 === errors;
if(!valid4){
break;
}
}
}
}
var valid3 = _errs28 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.discovered_at !== undefined){
let data15 = data1.discovered_at;
const _errs32 = errors;
if((typeof data15 !== "string") && (data15 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/discovered_at",schemaPath:"urn:perdura:schema:pattern/properties/discovered_at/type",keyword:"type",params:{type: schema32.properties.discovered_at.type},message:"must be string,null"}];
return false;
}
if(errors === _errs32){
if(typeof data15 === "string"){
if(!pattern6.test(data15)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/discovered_at",schemaPath:"urn:perdura:schema:pattern/properties/discovered_at/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"},message:"must match pattern \""+"^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"+"\""}];
return false;
}
}
}
var valid3 = _errs32 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.last_used !== undefined){
let data16 = data1.last_used;
const _errs34 = errors;
if((typeof data16 !== "string") && (data16 !== null)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/last_used",schemaPath:"urn:perdura:schema:pattern/properties/last_used/type",keyword:"type",params:{type: schema32.properties.last_used.type},message:"must be string,null"}];
return false;
}
if(errors === _errs34){
if(typeof data16 === "string"){
if(!pattern6.test(data16)){
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0+"/last_used",schemaPath:"urn:perdura:schema:pattern/properties/last_used/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"},message:"must match pattern \""+"^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"+"\""}];
return false;
}
}
}
var valid3 = _errs34 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/patterns/" + i0,schemaPath:"urn:perdura:schema:pattern/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs3 === errors;
if(!valid1){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/patterns",schemaPath:"#/properties/patterns/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.agent_contributions !== undefined){
let data17 = data.agent_contributions;
const _errs36 = errors;
if((!(data17 && typeof data17 == "object" && !Array.isArray(data17))) && (data17 !== null)){
validate20.errors = [{instancePath:instancePath+"/agent_contributions",schemaPath:"#/properties/agent_contributions/type",keyword:"type",params:{type: schema31.properties.agent_contributions.type},message:"must be object,null"}];
return false;
}
if(errors === _errs36){
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
for(const key0 in data17){
let data18 = data17[key0];
const _errs39 = errors;
if(errors === _errs39){
if(Array.isArray(data18)){
var valid6 = true;
const len2 = data18.length;
for(let i2=0; i2<len2; i2++){
const _errs41 = errors;
if(typeof data18[i2] !== "string"){
validate20.errors = [{instancePath:instancePath+"/agent_contributions/" + key0.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i2,schemaPath:"#/properties/agent_contributions/additionalProperties/items/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs41 === errors;
if(!valid6){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/agent_contributions/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/agent_contributions/additionalProperties/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid5 = _errs39 === errors;
if(!valid5){
break;
}
}
}
}
var valid0 = _errs36 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.metadata !== undefined){
let data20 = data.metadata;
const _errs43 = errors;
if((!(data20 && typeof data20 == "object" && !Array.isArray(data20))) && (data20 !== null)){
validate20.errors = [{instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: schema31.properties.metadata.type},message:"must be object,null"}];
return false;
}
if(errors === _errs43){
if(data20 && typeof data20 == "object" && !Array.isArray(data20)){
if(data20.version !== undefined){
if(typeof data20.version !== "string"){
validate20.errors = [{instancePath:instancePath+"/metadata/version",schemaPath:"#/properties/metadata/properties/version/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
var valid0 = _errs43 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate20.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":{"patterns":true,"agent_contributions":true,"metadata":true},"dynamicProps":false,"dynamicItems":false};

export const validateCollaborationState = validate21;
const schema33 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:perdura:schema:v15:collaboration-state","title":"Collaboration state","description":"One user's state (specification, section 2.8). Keys that are not named here are kept.","type":"object","required":["user_id","trust_level"],"properties":{"user_id":{"type":"string","pattern":"^[^\\u0000\\ud800-\\udfff]+$"},"trust_level":{"type":"number","minimum":0,"maximum":1},"current_level":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"target_level":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"interaction_count":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"success_count":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"failure_count":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"last_interaction":{"type":["string","null"],"pattern":"^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"},"created_at":{"type":["string","null"],"pattern":"^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"}}};

function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="urn:perdura:schema:v15:collaboration-state" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate21.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.user_id === undefined) && (missing0 = "user_id")) || ((data.trust_level === undefined) && (missing0 = "trust_level"))){
validate21.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.user_id !== undefined){
let data0 = data.user_id;
const _errs1 = errors;
if(errors === _errs1){
if(typeof data0 === "string"){
if(!pattern4.test(data0)){
validate21.errors = [{instancePath:instancePath+"/user_id",schemaPath:"#/properties/user_id/pattern",keyword:"pattern",params:{pattern: "^[^\\u0000\\ud800-\\udfff]+$"},message:"must match pattern \""+"^[^\\u0000\\ud800-\\udfff]+$"+"\""}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/user_id",schemaPath:"#/properties/user_id/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.trust_level !== undefined){
let data1 = data.trust_level;
const _errs3 = errors;
if(errors === _errs3){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 1 || isNaN(data1)){
validate21.errors = [{instancePath:instancePath+"/trust_level",schemaPath:"#/properties/trust_level/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1},message:"must be <= 1"}];
return false;
}
else {
if(data1 < 0 || isNaN(data1)){
validate21.errors = [{instancePath:instancePath+"/trust_level",schemaPath:"#/properties/trust_level/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/trust_level",schemaPath:"#/properties/trust_level/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.current_level !== undefined){
let data2 = data.current_level;
const _errs5 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate21.errors = [{instancePath:instancePath+"/current_level",schemaPath:"#/properties/current_level/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs5){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 9007199254740991 || isNaN(data2)){
validate21.errors = [{instancePath:instancePath+"/current_level",schemaPath:"#/properties/current_level/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data2 < -9007199254740991 || isNaN(data2)){
validate21.errors = [{instancePath:instancePath+"/current_level",schemaPath:"#/properties/current_level/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"}];
return false;
}
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.target_level !== undefined){
let data3 = data.target_level;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate21.errors = [{instancePath:instancePath+"/target_level",schemaPath:"#/properties/target_level/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs7){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 9007199254740991 || isNaN(data3)){
validate21.errors = [{instancePath:instancePath+"/target_level",schemaPath:"#/properties/target_level/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data3 < -9007199254740991 || isNaN(data3)){
validate21.errors = [{instancePath:instancePath+"/target_level",schemaPath:"#/properties/target_level/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"}];
return false;
}
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.interaction_count !== undefined){
let data4 = data.interaction_count;
const _errs9 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate21.errors = [{instancePath:instancePath+"/interaction_count",schemaPath:"#/properties/interaction_count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs9){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 9007199254740991 || isNaN(data4)){
validate21.errors = [{instancePath:instancePath+"/interaction_count",schemaPath:"#/properties/interaction_count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data4 < -9007199254740991 || isNaN(data4)){
validate21.errors = [{instancePath:instancePath+"/interaction_count",schemaPath:"#/properties/interaction_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"}];
return false;
}
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.success_count !== undefined){
let data5 = data.success_count;
const _errs11 = errors;
if(!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))){
validate21.errors = [{instancePath:instancePath+"/success_count",schemaPath:"#/properties/success_count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs11){
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 > 9007199254740991 || isNaN(data5)){
validate21.errors = [{instancePath:instancePath+"/success_count",schemaPath:"#/properties/success_count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data5 < -9007199254740991 || isNaN(data5)){
validate21.errors = [{instancePath:instancePath+"/success_count",schemaPath:"#/properties/success_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"}];
return false;
}
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.failure_count !== undefined){
let data6 = data.failure_count;
const _errs13 = errors;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
validate21.errors = [{instancePath:instancePath+"/failure_count",schemaPath:"#/properties/failure_count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs13){
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 > 9007199254740991 || isNaN(data6)){
validate21.errors = [{instancePath:instancePath+"/failure_count",schemaPath:"#/properties/failure_count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data6 < -9007199254740991 || isNaN(data6)){
validate21.errors = [{instancePath:instancePath+"/failure_count",schemaPath:"#/properties/failure_count/minimum",keyword:"minimum",params:{comparison: ">=", limit: -9007199254740991},message:"must be >= -9007199254740991"}];
return false;
}
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.last_interaction !== undefined){
let data7 = data.last_interaction;
const _errs15 = errors;
if((typeof data7 !== "string") && (data7 !== null)){
validate21.errors = [{instancePath:instancePath+"/last_interaction",schemaPath:"#/properties/last_interaction/type",keyword:"type",params:{type: schema33.properties.last_interaction.type},message:"must be string,null"}];
return false;
}
if(errors === _errs15){
if(typeof data7 === "string"){
if(!pattern6.test(data7)){
validate21.errors = [{instancePath:instancePath+"/last_interaction",schemaPath:"#/properties/last_interaction/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"},message:"must match pattern \""+"^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"+"\""}];
return false;
}
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.created_at !== undefined){
let data8 = data.created_at;
const _errs17 = errors;
if((typeof data8 !== "string") && (data8 !== null)){
validate21.errors = [{instancePath:instancePath+"/created_at",schemaPath:"#/properties/created_at/type",keyword:"type",params:{type: schema33.properties.created_at.type},message:"must be string,null"}];
return false;
}
if(errors === _errs17){
if(typeof data8 === "string"){
if(!pattern6.test(data8)){
validate21.errors = [{instancePath:instancePath+"/created_at",schemaPath:"#/properties/created_at/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"},message:"must match pattern \""+"^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?$"+"\""}];
return false;
}
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate21.errors = vErrors;
return errors === 0;
}
validate21.evaluated = {"props":{"user_id":true,"trust_level":true,"current_level":true,"target_level":true,"interaction_count":true,"success_count":true,"failure_count":true,"last_interaction":true,"created_at":true},"dynamicProps":false,"dynamicItems":false};

